// Sums a grid column by column.
struct Grid {
    cells: Vec<f64>,
    width: usize,
}

impl Grid {
    #[inline(never)]
    fn sum_columns(&self) -> f64 {
        let mut sum = 0.0;
        for column in 0..self.width {
            for row in 0..self.cells.len() / self.width {
                sum += self.cells[row * self.width + column]; // planted
            }
        }
        sum
    }
}

fn main() {
    let grid = Grid { cells: vec![1.0; 220 * 220], width: 220 };
    let mut sum = 0.0;
    for _ in 0..3 {
        sum += grid.sum_columns();
    }
    std::process::exit(if sum == 0.0 { 1 } else { 0 });
}
