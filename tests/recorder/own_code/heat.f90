! Sums a matrix row by row, but Fortran stores it by columns.
module heat
  implicit none
contains
  function sum_rows(grid) result(total)
    real(8), intent(in) :: grid(:, :)
    real(8) :: total
    integer :: row, column
    total = 0
    do row = 1, size(grid, 1)
      do column = 1, size(grid, 2)
        total = total + grid(row, column) ! planted
      end do
    end do
  end function
end module

program main
  use heat
  real(8), allocatable :: grid(:, :)
  real(8) :: total
  integer :: round
  allocate(grid(220, 220))
  grid = 0
  total = 0
  do round = 1, 3
    total = total + sum_rows(grid)
  end do
  if (total /= 0) stop 1
end program
