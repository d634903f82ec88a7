#include "textflag.h"

// func addAVX2(sums *int32, weights *int16, n, stride int, terms *Term, numTerms int)
//
// DI and SI are the sums and the weights of the columns at hand, DX how many bytes rows
// are apart, CX how many columns are left.
TEXT ·addAVX2(SB), NOSPLIT, $0-48
	MOVQ sums+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), DX
	MOVQ terms+32(FP), R8
	MOVQ numTerms+40(FP), R9
	SHLQ $1, DX

columns32:
	CMPQ CX, $32
	JLT  columns16
	VMOVDQU (DI), Y0
	VMOVDQU 32(DI), Y1
	VMOVDQU 64(DI), Y2
	VMOVDQU 96(DI), Y3
	MOVQ R8, R10
	MOVQ R9, R11

terms32:
	MOVLQSX      (R10), AX
	VPBROADCASTD 4(R10), Y8
	IMULQ        DX, AX
	VPMOVSXWD    (SI)(AX*1), Y4
	VPMOVSXWD    16(SI)(AX*1), Y5
	VPMOVSXWD    32(SI)(AX*1), Y6
	VPMOVSXWD    48(SI)(AX*1), Y7
	VPMULLD      Y8, Y4, Y4
	VPMULLD      Y8, Y5, Y5
	VPMULLD      Y8, Y6, Y6
	VPMULLD      Y8, Y7, Y7
	VPADDD       Y4, Y0, Y0
	VPADDD       Y5, Y1, Y1
	VPADDD       Y6, Y2, Y2
	VPADDD       Y7, Y3, Y3
	ADDQ         $8, R10
	DECQ         R11
	JNZ          terms32

	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $64, SI
	SUBQ    $32, CX
	JMP     columns32

columns16:
	TESTQ CX, CX
	JZ    done
	VMOVDQU (DI), Y0
	VMOVDQU 32(DI), Y1

terms16:
	MOVLQSX      (R8), AX
	VPBROADCASTD 4(R8), Y8
	IMULQ        DX, AX
	VPMOVSXWD    (SI)(AX*1), Y4
	VPMOVSXWD    16(SI)(AX*1), Y5
	VPMULLD      Y8, Y4, Y4
	VPMULLD      Y8, Y5, Y5
	VPADDD       Y4, Y0, Y0
	VPADDD       Y5, Y1, Y1
	ADDQ         $8, R8
	DECQ         R9
	JNZ          terms16

	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)

done:
	VZEROUPPER
	RET

// func cpuid(leaf, subleaf uint32) (a, b, c uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-20
	MOVL leaf+0(FP), AX
	MOVL subleaf+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	RET

// func xgetbv() (low uint32)
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, low+0(FP)
	RET
