// Follows pointers through nodes in random order.
package main

import "os"

type node struct {
	next  *node
	value [8]int
}

//go:noinline
func (n *node) sum() int {
	total := 0
	for ; n != nil; n = n.next { // planted
		total += n.value[0]
	}
	return total
}

func main() {
	nodes := make([]node, 4000)
	for i := 0; i < 3999; i++ {
		nodes[i*7919%4000].next = &nodes[(i+1)*7919%4000]
	}
	total := 0
	for round := 0; round < 20; round++ {
		total += nodes[0].sum()
	}
	if total != 0 {
		os.Exit(1)
	}
}
