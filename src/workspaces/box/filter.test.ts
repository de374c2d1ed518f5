import { constants } from 'node:os'

import { describe, expect, it } from 'vitest'

import { filterProgram, type Machine } from './filter.ts'

/** Runs the program as the kernel does, on the number of a call, the machine that it is made for, and its arguments. */
function answerOf(program: Buffer, call: number, machine: number, argument = 0): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call, 0)
  data.writeUInt32LE(machine, 4)
  data.writeUInt32LE(argument, 16)
  let word = 0
  for (let at = 0; at * 8 < program.length; at += 1) {
    const [code, ifTrue, ifFalse, operand] = [
      program.readUInt16LE(at * 8),
      program.readUInt8(at * 8 + 2),
      program.readUInt8(at * 8 + 3),
      program.readUInt32LE(at * 8 + 4),
    ]
    if (code === 0x20) word = data.readUInt32LE(operand)
    else if (code === 0x15) at += word === operand ? ifTrue : ifFalse
    else if (code === 0x35) at += word >= operand ? ifTrue : ifFalse
    else if (code === 0x06) return operand
    else throw new Error(`unknown code ${code}`)
  }
  throw new Error('the program ends without an answer')
}

const [allow, kill] = [0x7fff_0000, 0x8000_0000]
const error = (errno: number): number => 0x0005_0000 + errno
const { EPERM, ENOSYS, EAFNOSUPPORT } = constants.errno

/** Numbers as in the kernel's own tables, by the name of the call. */
const machines = {
  x64: {
    audit: 0xc000_003e,
    refused: { ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312, pidfd_getfd: 438 },
    privileged: { bpf: 321, perf_event_open: 298, userfaultfd: 323 },
    absent: { add_key: 248, request_key: 249, keyctl: 250, io_uring_setup: 425, enter: 426, register: 427 },
    allowed: { read: 0, write: 1, openat: 257, clone: 56, clone3: 435, execve: 59, kill: 62, futex: 202, connect: 42 },
    socket: 41,
  },
  arm64: {
    audit: 0xc000_00b7,
    refused: { ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272, pidfd_getfd: 438 },
    privileged: { bpf: 280, perf_event_open: 241, userfaultfd: 282 },
    absent: { add_key: 217, request_key: 218, keyctl: 219, io_uring_setup: 425, enter: 426, register: 427 },
    allowed: { read: 63, write: 64, openat: 56, clone: 220, clone3: 435, execve: 221, kill: 129, futex: 98 },
    socket: 198,
  },
} as const

describe.each(Object.keys(machines) as Machine[])('the filter of system calls on %s', (machine) => {
  const program = filterProgram(machine)
  const { audit, refused, privileged, absent, allowed, socket } = machines[machine]
  const ask = (call: number, argument?: number): number => answerOf(program, call, audit, argument)

  it('refuses calls that reach into another process or configure the kernel', () => {
    for (const [name, call] of Object.entries({ ...refused, ...privileged })) expect(ask(call), name).toBe(error(EPERM))
  })

  it('answers for keyrings and rings as a kernel without them', () => {
    for (const [name, call] of Object.entries(absent)) expect(ask(call), name).toBe(error(ENOSYS))
  })

  it('allows all other calls', () => {
    for (const [name, call] of Object.entries(allowed)) expect(ask(call), name).toBe(allow)
  })

  it('allows only sockets of the machine’s files, of its network, and of its kernel’s messages', () => {
    const families = Array.from({ length: 46 }, (_, family) => family)
    expect(families.filter((family) => ask(socket, family) === allow)).toEqual([1, 2, 10, 16])
    for (const family of [0, 3, 17, 38, 40, 0xffff_ffff]) expect(ask(socket, family)).toBe(error(EAFNOSUPPORT))
  })

  it('kills a process that calls as another machine', () => {
    for (const other of [0x4000_0003, 0x4000_0028, machine === 'x64' ? 0xc000_00b7 : 0xc000_003e, 0])
      expect(answerOf(program, 0, other)).toBe(kill)
  })

  it('has as many instructions as the kernel and bubblewrap take', () => {
    expect(program.length % 8).toBe(0)
    expect(program.length / 8).toBeLessThan(100)
  })
})

it('refuses calls by the numbers of x32, which are those of x64 and a bit', () => {
  const program = filterProgram('x64')
  for (const call of [0, 1, 101, 438, 521])
    expect(answerOf(program, 0x4000_0000 + call, 0xc000_003e)).toBe(error(ENOSYS))
  expect(answerOf(program, 0xffff_ffff, 0xc000_003e)).toBe(error(ENOSYS))
})
