package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// The few fields of ONNX's protobuf that hold weights and wiring, by number.
const (
	modelGraph       = 7
	graphNode        = 1
	graphInitializer = 5
	nodeInput        = 1
	nodeOutput       = 2
	nodeOpType       = 4
	tensorDims       = 1
	tensorType       = 2
	tensorName       = 8
	tensorRaw        = 9

	tensorTypeFloat = 1
)

// tensor is a float tensor.
type tensor struct {
	shape  []int
	values []float32
}

// node is one operation of the graph.
type node struct {
	op              string
	inputs, outputs []string
}

// readONNX returns the weights of a BERT in an ONNX file by the names they
// have in PyTorch.
//
// The exporter keeps the names of biases and tables, but writes the matrices of
// MatMul nodes transposed and unnamed ("onnx::MatMul_1525"). The graph links
// each to its name: the product is added to a bias, and the bias is named.
func readONNX(file []byte) (map[string]tensor, error) {
	graph, err := field(file, modelGraph)
	if err != nil {
		return nil, err
	}
	tensors := make(map[string]tensor)
	producers := make(map[string]node)
	var nodes []node
	err = fields(graph, func(number int, value []byte, _ uint64) error {
		switch number {
		case graphInitializer:
			name, t, err := readTensor(value)
			if err != nil {
				return err
			}
			if t.values != nil {
				tensors[name] = t
			}
		case graphNode:
			n, err := readNode(value)
			if err != nil {
				return err
			}
			nodes = append(nodes, n)
			for _, out := range n.outputs {
				producers[out] = n
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if n.op != "Add" || len(n.inputs) != 2 {
			continue
		}
		for i, name := range n.inputs {
			module, isBias := strings.CutSuffix(name, ".bias")
			product := producers[n.inputs[1-i]]
			if !isBias || product.op != "MatMul" || len(product.inputs) != 2 {
				continue
			}
			matrix, ok := tensors[product.inputs[1]]
			if !ok || len(matrix.shape) != 2 {
				return nil, fmt.Errorf("the matrix that goes with %s is not a stored matrix", name)
			}
			tensors[module+".weight"] = transpose(matrix)
		}
	}
	return tensors, nil
}

// transpose turns [in][out] into [out][in].
func transpose(t tensor) tensor {
	in, out := t.shape[0], t.shape[1]
	turned := tensor{shape: []int{out, in}, values: make([]float32, in*out)}
	for i := range in {
		for j := range out {
			turned.values[j*in+i] = t.values[i*out+j]
		}
	}
	return turned
}

// readTensor reads a tensor; one that is not float has no values.
func readTensor(b []byte) (name string, t tensor, err error) {
	var raw []byte
	kind := uint64(0)
	size := 1
	err = fields(b, func(number int, value []byte, scalar uint64) error {
		switch number {
		case tensorDims:
			if value == nil {
				value = binary.AppendUvarint(nil, scalar)
			}
			for len(value) > 0 {
				dim, n := binary.Uvarint(value)
				if n <= 0 || dim > math.MaxInt32 || size > math.MaxInt32 {
					return errTruncated
				}
				t.shape = append(t.shape, int(dim))
				size *= int(dim) // below 2^62
				value = value[n:]
			}
		case tensorType:
			kind = scalar
		case tensorName:
			name = string(value)
		case tensorRaw:
			raw = value
		}
		return nil
	})
	if err != nil || kind != tensorTypeFloat {
		return name, tensor{}, err
	}
	if len(raw) != 4*size {
		return name, tensor{}, fmt.Errorf("tensor %s of shape %v has %d bytes", name, t.shape, len(raw))
	}
	t.values = decodeFloats(raw)
	return name, t, nil
}

func readNode(b []byte) (n node, err error) {
	err = fields(b, func(number int, value []byte, _ uint64) error {
		switch number {
		case nodeInput:
			n.inputs = append(n.inputs, string(value))
		case nodeOutput:
			n.outputs = append(n.outputs, string(value))
		case nodeOpType:
			n.op = string(value)
		}
		return nil
	})
	return n, err
}

func decodeFloats(raw []byte) []float32 {
	values := make([]float32, len(raw)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return values
}
