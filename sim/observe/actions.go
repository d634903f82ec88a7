package observe

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/sim"
)

// MaskSize is the number of bytes of a mask of legal actions: 180 bits, or where three
// play 181, in whole bytes.
const MaskSize = (sim.NumAllActions + 7) / 8

// Mask describes the mask of legal actions that goes with every observation.
var Mask = Tensor{
	Name: "mask", DType: Bit, Shape: []int{sim.NumActions}, High: 1,
	Doc: "legal actions: bit a%8 of byte a/8 is set if the player may answer with action a; all zero if the player is not asked",
}

// AppendMask appends the MaskSize bytes of a set of legal actions: action a is bit a%8 of
// byte a/8.
func AppendMask(dst []byte, legal sim.ActionSet) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, legal[0])
	dst = binary.LittleEndian.AppendUint64(dst, legal[1])
	dst = binary.LittleEndian.AppendUint32(dst, uint32(legal[2]))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(legal[2]>>32))
	return append(dst, byte(legal[2]>>48))
}
