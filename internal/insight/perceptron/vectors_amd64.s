#include "textflag.h"

// valuesMask moves the values of two inputs into the high bytes of the words of a pair.
DATA valuesMask<>+0(SB)/8, $0x0680028006800280
DATA valuesMask<>+8(SB)/8, $0x0680028006800280
GLOBL valuesMask<>(SB), RODATA|NOPTR, $16

// ADD16 adds 16 columns of two rows, a and b, times the pair of values in Y14 to the sums low
// and high. It needs Y8 and Y9.
#define ADD16(a, b, low, high) \
	VPUNPCKLWD b, a, Y8; \
	VPUNPCKHWD b, a, Y9; \
	VPMADDWD   Y14, Y8, Y8; \
	VPMADDWD   Y14, Y9, Y9; \
	VPADDD     Y8, low, low; \
	VPADDD     Y9, high, high

// func addInputsAVX2(sums *int32, weights *int16, columns, rows int, inputs *Input, numInputs int) (ok bool)
//
// Rows are added in pairs, as VPMADDWD has it. DI and SI are the sums and the weights of the
// columns at hand, CX how many columns are left, DX how many bytes a row has. Sums of 16
// columns lie as VPUNPCKLWD and VPUNPCKHWD leave them: 0 to 3 and 8 to 11 in one register, the
// others in the next.
TEXT ·addInputsAVX2(SB), NOSPLIT, $0-49
	MOVQ sums+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ columns+16(FP), CX
	MOVQ rows+24(FP), R12
	MOVQ inputs+32(FP), R8
	MOVQ numInputs+40(FP), R9
	MOVQ CX, DX
	SHLQ $1, DX
	VBROADCASTI128 valuesMask<>(SB), Y15

columns32:
	CMPQ CX, $32
	JLT  columns16
	VMOVDQU    (DI), Y4
	VMOVDQU    32(DI), Y5
	VMOVDQU    64(DI), Y6
	VMOVDQU    96(DI), Y7
	VPERM2I128 $0x20, Y5, Y4, Y0
	VPERM2I128 $0x31, Y5, Y4, Y1
	VPERM2I128 $0x20, Y7, Y6, Y2
	VPERM2I128 $0x31, Y7, Y6, Y3
	MOVQ R8, R10
	MOVQ R9, R11
	SUBQ $2, R11
	JLT  last32

pairs32:
	MOVWLZX (R10), AX
	MOVWLZX 4(R10), BX
	CMPQ    AX, R12
	JAE     outside
	CMPQ    BX, R12
	JAE     outside
	VPBROADCASTQ (R10), Y14
	IMULQ        DX, AX
	IMULQ        DX, BX
	VPSHUFB      Y15, Y14, Y14
	VPSRAW       $8, Y14, Y14
	VMOVDQU      (SI)(AX*1), Y4
	VMOVDQU      (SI)(BX*1), Y5
	VMOVDQU      32(SI)(AX*1), Y6
	VMOVDQU      32(SI)(BX*1), Y7
	ADD16(Y4, Y5, Y0, Y1)
	ADD16(Y6, Y7, Y2, Y3)
	ADDQ         $8, R10
	SUBQ         $2, R11
	JGE          pairs32

last32:
	CMPQ R11, $-2
	JEQ  stored32
	MOVWLZX (R10), AX
	CMPQ    AX, R12
	JAE     outside
	VPBROADCASTD (R10), Y14
	IMULQ        DX, AX
	VPSHUFB      Y15, Y14, Y14
	VPSRAW       $8, Y14, Y14
	VPXOR        Y5, Y5, Y5
	VMOVDQU      (SI)(AX*1), Y4
	VMOVDQU      32(SI)(AX*1), Y6
	ADD16(Y4, Y5, Y0, Y1)
	ADD16(Y6, Y5, Y2, Y3)

stored32:
	VPERM2I128 $0x20, Y1, Y0, Y4
	VPERM2I128 $0x31, Y1, Y0, Y5
	VPERM2I128 $0x20, Y3, Y2, Y6
	VPERM2I128 $0x31, Y3, Y2, Y7
	VMOVDQU    Y4, (DI)
	VMOVDQU    Y5, 32(DI)
	VMOVDQU    Y6, 64(DI)
	VMOVDQU    Y7, 96(DI)
	ADDQ $128, DI
	ADDQ $64, SI
	SUBQ $32, CX
	JMP  columns32

columns16:
	TESTQ CX, CX
	JZ    done
	VMOVDQU    (DI), Y4
	VMOVDQU    32(DI), Y5
	VPERM2I128 $0x20, Y5, Y4, Y0
	VPERM2I128 $0x31, Y5, Y4, Y1
	MOVQ R8, R10
	MOVQ R9, R11

inputs16:
	MOVWLZX (R10), AX
	CMPQ    AX, R12
	JAE     outside
	VPBROADCASTD (R10), Y14
	IMULQ        DX, AX
	VPSHUFB      Y15, Y14, Y14
	VPSRAW       $8, Y14, Y14
	VPXOR        Y5, Y5, Y5
	VMOVDQU      (SI)(AX*1), Y4
	ADD16(Y4, Y5, Y0, Y1)
	ADDQ         $4, R10
	DECQ         R11
	JNZ          inputs16

	VPERM2I128 $0x20, Y1, Y0, Y4
	VPERM2I128 $0x31, Y1, Y0, Y5
	VMOVDQU    Y4, (DI)
	VMOVDQU    Y5, 32(DI)

done:
	VZEROUPPER
	MOVB $1, ok+48(FP)
	RET

outside:
	VZEROUPPER
	MOVB $0, ok+48(FP)
	RET

// most is maxHidden twice.
DATA most<>+0(SB)/4, $0x0fff0fff
GLOBL most<>(SB), RODATA|NOPTR, $4

// func layerAVX2(out, in *int32, shift, ins int, weights *int16, biases *int32, outs int)
//
// The values, in pairs, lie on the stack. DI, R8 and SI are sums, biases and weights of the
// outputs at hand, CX how many outputs are left, DX how many bytes a pair of rows has.
TEXT ·layerAVX2(SB), NOSPLIT, $256-56
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	VMOVQ shift+16(FP), X15
	MOVQ ins+24(FP), CX
	VPXOR        Y14, Y14, Y14
	VPBROADCASTD most<>(SB), Y13
	LEAQ values-256(SP), R10
	MOVQ R10, R9

pack:
	VMOVDQU   (SI), Y0
	VMOVDQU   32(SI), Y1
	VPSRAD    X15, Y0, Y0
	VPSRAD    X15, Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPERMQ    $0xd8, Y0, Y0
	VPMAXSW   Y14, Y0, Y0
	VPMINSW   Y13, Y0, Y0
	VMOVDQU   Y0, (R9)
	ADDQ $64, SI
	ADDQ $32, R9
	SUBQ $16, CX
	JNZ  pack

	MOVQ weights+32(FP), SI
	MOVQ biases+40(FP), R8
	MOVQ outs+48(FP), CX
	MOVQ CX, DX
	SHLQ $2, DX

outs16:
	CMPQ CX, $16
	JLT  outs8
	VMOVDQU (R8), Y0
	VMOVDQU 32(R8), Y1
	MOVQ R10, R11
	MOVQ SI, AX

pairs16:
	VPBROADCASTD (R11), Y4
	VPMADDWD     (AX), Y4, Y2
	VPMADDWD     32(AX), Y4, Y3
	VPADDD       Y2, Y0, Y0
	VPADDD       Y3, Y1, Y1
	ADDQ DX, AX
	ADDQ $4, R11
	CMPQ R11, R9
	JNE  pairs16

	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $64, DI
	ADDQ $64, R8
	ADDQ $64, SI
	SUBQ $16, CX
	JMP  outs16

outs8:
	TESTQ CX, CX
	JZ    done
	VMOVDQU (R8), Y0
	MOVQ R10, R11
	MOVQ SI, AX

pairs8:
	VPBROADCASTD (R11), Y4
	VPMADDWD     (AX), Y4, Y2
	VPADDD       Y2, Y0, Y0
	ADDQ DX, AX
	ADDQ $4, R11
	CMPQ R11, R9
	JNE  pairs8

	VMOVDQU Y0, (DI)

done:
	VZEROUPPER
	RET
