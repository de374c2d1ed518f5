/** A step of a filter: it looks at one word of a system call, and may answer. */
export type Step =
  | { readonly load: number }
  /** Answers if the word is equal, is not equal, is at least, has one of the bits, or has none of them. */
  | { readonly equal: number; readonly return: number }
  | { readonly unequal: number; readonly return: number }
  | { readonly atLeast: number; readonly return: number }
  | { readonly anyOf: number; readonly return: number }
  | { readonly noneOf: number; readonly return: number }
  | { readonly return: number }
  /** Steps for one value of the word; the last one always answers. */
  | { readonly on: number; readonly steps: readonly Step[] }

/** Codes of classic BPF: load a word; jump if equal, if greater or equal, if a bit is set; return. */
const codes = { load: 0x20, equal: 0x15, atLeast: 0x35, anyOf: 0x45, return: 0x06 }

/** Assembles a program of classic BPF. A conditional answer is a jump over the return that follows it. */
export const assemble = (steps: readonly Step[]): Buffer =>
  Buffer.concat(
    steps.map((step) => {
      if ('load' in step) return instruction(codes.load, step.load)
      if ('on' in step) {
        const inner = assemble(step.steps)
        return Buffer.concat([instruction(codes.equal, step.on, 0, inner.length / 8), inner])
      }
      const end = instruction(codes.return, step.return)
      if ('equal' in step) return Buffer.concat([instruction(codes.equal, step.equal, 0, 1), end])
      if ('unequal' in step) return Buffer.concat([instruction(codes.equal, step.unequal, 1, 0), end])
      if ('atLeast' in step) return Buffer.concat([instruction(codes.atLeast, step.atLeast, 0, 1), end])
      if ('anyOf' in step) return Buffer.concat([instruction(codes.anyOf, step.anyOf, 0, 1), end])
      if ('noneOf' in step) return Buffer.concat([instruction(codes.anyOf, step.noneOf, 1, 0), end])
      return end
    }),
  )

/** `struct sock_filter`: a code, the jumps if true and if false, and an operand. */
function instruction(code: number, operand: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(operand >>> 0, 4)
  return bytes
}
