package journal

const Version = 1
