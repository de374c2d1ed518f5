import { expect } from 'vitest'
import { z } from 'zod'

import type { Db } from '../../src/db/port.ts'
import { appendEvent } from '../../src/events/append.ts'
import { actorName } from '../../src/kernel/actor.ts'
import { notFound } from '../../src/kernel/errors.ts'
import { bind, type Route } from '../../src/operations/bind.ts'
import { operation } from '../../src/operations/contract.ts'
import { type Answer, startServer, type TestServer, type TestServerOptions } from './server.ts'
import { freshSqlite } from './store.ts'

const Note = z.object({ noteId: z.string(), seq: z.number().int(), freeForm: z.record(z.string(), z.unknown()) })

/** Operations of a minimal noun, for tests of the server's own behaviour. */
export const noteOperations = {
  add: operation({
    name: 'note.add',
    summary: 'Write a note',
    method: 'POST',
    path: '/notes',
    input: z.strictObject({
      noteText: z.string().trim().min(1).max(1_000),
      freeForm: z.record(z.string(), z.unknown()).default({}),
      parts: z.array(z.strictObject({ partName: z.string(), size: z.number().int().min(0) })).default([]),
    }),
    output: Note,
    allow: ['operator', 'agent'],
    tool: 'add_note',
  }),
  show: operation({
    name: 'note.show',
    summary: 'Show a note',
    method: 'GET',
    path: '/notes/:note_id',
    input: z.strictObject({ noteId: z.string(), howMany: z.coerce.number().int().min(1).default(1) }),
    output: Note,
    allow: ['operator', 'agent'],
    tool: 'show_note',
  }),
  change: operation({
    name: 'note.change',
    summary: 'Change a note',
    method: 'PATCH',
    path: '/notes/:note_id',
    input: z.strictObject({ noteId: z.string(), noteText: z.string() }),
    output: Note.extend({ warnings: z.array(z.string()) }),
    allow: ['operator'],
  }),
  breakDown: operation({
    name: 'note.break',
    summary: 'Meet a bug',
    method: 'POST',
    path: '/notes/break',
    input: z.strictObject({}),
    output: z.object({}),
    allow: ['operator'],
  }),
  wait: operation({
    name: 'note.wait',
    summary: 'Wait until the test opens the gate',
    method: 'POST',
    path: '/notes/wait',
    input: z.strictObject({}),
    output: z.object({ waited: z.literal(true) }),
    allow: ['operator'],
  }),
}

export function noteRoutes(db: Db, waiting: () => Promise<void> = async () => {}): Route[] {
  return bind(noteOperations, {
    add: (by, { noteText, freeForm }) =>
      db.write(['system'], async (tx) => {
        const seq = await appendEvent(tx, 'system', { kind: 'log', by: actorName(by), message: noteText })
        return { noteId: `note_${seq}`, seq, freeForm }
      }),
    show: async (_, { noteId, howMany }) => {
      if (!noteId.startsWith('note_')) throw notFound('note', noteId, 'They begin with note_.')
      return { noteId, seq: howMany, freeForm: { asGiven: 1, as_given: 2 } }
    },
    change: async (_, { noteId }) => ({ noteId, seq: 0, freeForm: {}, warnings: ['late, sadly', 'Ärger'] }),
    breakDown: async () => {
      throw new TypeError('a secret inside')
    },
    wait: async () => {
      await waiting()
      return { waited: true as const }
    },
  })
}

export async function startNotes(options: Partial<TestServerOptions> = {}): Promise<TestServer> {
  const { db } = await freshSqlite()
  return startServer({ db, routes: noteRoutes(db), ...options })
}

export function expectProblem(answer: Answer, status: number, code: string): void {
  expect(answer.json, answer.text).toMatchObject({
    code,
    message: expect.any(String) as string,
    exit: expect.any(Number) as number,
  })
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json'])
}
