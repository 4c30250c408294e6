! Gathers elements of a large array through a list of indexes.
subroutine gather(values, order, total)
  implicit none
  real(8), intent(in) :: values(:)
  integer, intent(in) :: order(:)
  real(8), intent(inout) :: total
  integer :: i
  do i = 1, size(order)
    total = total + values(order(i)) ! planted
  end do
end subroutine

program main
  implicit none
  interface
    subroutine gather(values, order, total)
      real(8), intent(in) :: values(:)
      integer, intent(in) :: order(:)
      real(8), intent(inout) :: total
    end subroutine
  end interface
  real(8) :: values(32000), total
  integer :: order(8000), i, round
  values = 0
  do i = 1, 8000
    order(i) = 1 + mod(i * 7919, 32000)
  end do
  total = 0
  do round = 1, 8
    call gather(values, order, total)
  end do
  if (total /= 0) stop 1
end program
