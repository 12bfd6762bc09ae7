package kernel

//go:generate go -C ../../../../tools/kernelgen run . -out ../../internal/search/embed/kernel/kernels_amd64.s -stubs ../../internal/search/embed/kernel/stubs_amd64.go -pkg kernel
