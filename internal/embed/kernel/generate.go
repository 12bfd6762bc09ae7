package kernel

//go:generate go -C ../../../tools/kernelgen run . -out ../../internal/embed/kernel/kernels_amd64.s -stubs ../../internal/embed/kernel/stubs_amd64.go -pkg kernel
