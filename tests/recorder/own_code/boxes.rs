// Sums numbers in boxes, in the order of a shuffled list of indexes.
#[inline(never)]
fn sum_boxes(boxes: &[Box<[u64; 8]>], order: &[usize]) -> u64 {
    order.iter().map(|&i| boxes[i][0]).sum() // planted
}

fn main() {
    let boxes: Vec<Box<[u64; 8]>> = (0..3000).map(|i| Box::new([i; 8])).collect();
    let order: Vec<usize> = (0..3000).map(|i| i * 7919 % 3000).collect();
    let mut sum = 0;
    for _ in 0..20 {
        sum += sum_boxes(&boxes, &order);
    }
    std::process::exit(if sum == 0 { 1 } else { 0 });
}
