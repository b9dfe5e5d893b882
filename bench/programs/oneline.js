data.x * 2 + 1
