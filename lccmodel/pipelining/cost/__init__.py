"""What a pipelined CC-cube costs: steps of tasks, their sums, and closed forms of the sums."""
