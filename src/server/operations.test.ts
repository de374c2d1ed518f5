import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import { expectProblem, startNotes } from '../../test/support/notes.ts'
import type { Answer } from '../../test/support/server.ts'
import { errorCodes } from '../kernel/errors.ts'
import { statuses } from './problem.ts'

const note = { note_text: 'hello', free_form: { someKey: 1 } }

describe('an operation over HTTP', () => {
  it('reads path, query and body in the names of the wire and responds in them', async () => {
    const { send } = await startNotes()
    const added = await send('POST', '/api/notes', { body: note })
    expect([added.status, added.json]).toEqual([200, { note_id: 'note_1', seq: 1, free_form: { someKey: 1 } }])
    const shown = await send('GET', '/api/notes/note_%C3%A4?how_many=3')
    expect(shown.json).toEqual({ note_id: 'note_ä', seq: 3, free_form: { asGiven: 1, as_given: 2 } })
    expect((await send('PATCH', '/api/notes/note_7', { body: { note_text: 'x' } })).json).toMatchObject({
      note_id: 'note_7',
    })
  })

  it('works the same over the socket', async () => {
    const { send } = await startNotes()
    expect((await send('POST', '/api/notes', { body: note, via: 'socket' })).status).toBe(200)
  })

  it('responds in YAML on request, but refuses in JSON', async () => {
    const { send } = await startNotes()
    const headers = { accept: 'application/yaml' }
    const shown = await send('GET', '/api/notes/note_1?how_many=3', { headers })
    expect([shown.status, shown.headers['content-type']]).toEqual([200, 'application/yaml'])
    expect(shown.text).toBe('note_id: note_1\nseq: 3\nfree_form:\n  asGiven: 1\n  as_given: 2\n')
    const long = 'word '.repeat(100).trim()
    const added = await send('POST', '/api/notes', {
      headers,
      body: { ...note, free_form: { long, text: 'a: b\n#c' } },
    })
    expect(parse(added.text)).toMatchObject({ free_form: { long, text: 'a: b\n#c' } })
    expect(added.text).toContain(`long: ${long}\n`)
    expectProblem(await send('GET', '/api/notes/other', { headers }), 404, 'not_found')
  })

  it('returns the warnings of a YAML response in a header', async () => {
    const { send } = await startNotes()
    const change = (accept: string): Promise<Answer> =>
      send('PATCH', '/api/notes/note_7', { body: { note_text: 'x' }, headers: { accept } })
    const yaml = await change('application/yaml')
    expect(yaml.text).toBe('note_id: note_7\nseq: 0\nfree_form: {}\n')
    expect(String(yaml.headers['agency-warning']).split(',').map(decodeURIComponent)).toEqual(['late, sadly', 'Ärger'])
    expect((await change('application/json')).json).toMatchObject({ warnings: ['late, sadly', 'Ärger'] })
  })

  it.each([
    ['application/yaml, application/json', 'application/json'],
    ['application/json;q=0.5, application/yaml', 'application/yaml'],
    ['application/yaml;q=0', 'application/json'],
    ['*/*', 'application/json'],
  ])('responds to Accept: %s with %s', async (accept, type) => {
    const { send } = await startNotes()
    expect((await send('GET', '/api/notes/note_1', { headers: { accept } })).headers['content-type']).toBe(type)
  })

  it('reports in one line the path and the fault of invalid input', async () => {
    const { send } = await startNotes()
    const cases: [unknown, string][] = [
      [{}, 'note_text: is missing'],
      [{ note_text: 5 }, 'note_text: expected string, received number'],
      [{ ...note, noteText: 'x' }, 'unknown field "noteText (write note_text)"'],
      [{ ...note, colour: 'x' }, 'unknown field "colour"'],
      [{ ...note, parts: [{ part_name: 'a', size: -1 }] }, 'parts.0.size: too small: expected number to be >=0'],
      [{ ...note, parts: [{}] }, 'parts.0.part_name: is missing (and 1 more)'],
    ]
    for (const [body, message] of cases) {
      const answer = await send('POST', '/api/notes', { body })
      expectProblem(answer, 400, 'invalid_input')
      expect(answer.json['message']).toBe(message)
      expect((answer.json['data'] as { issues: unknown[] }).issues.length).toBeGreaterThan(0)
    }
  })

  it('refuses a name that is given twice, and a query where a body is expected', async () => {
    const { send } = await startNotes()
    expectProblem(await send('PATCH', '/api/notes/a', { body: { note_id: 'b', note_text: 'x' } }), 400, 'invalid_input')
    expectProblem(await send('GET', '/api/notes/note_1?how_many=1&how_many=2'), 400, 'invalid_input')
    expectProblem(await send('POST', '/api/notes?note_text=x', { body: note }), 400, 'invalid_input')
  })

  it('returns a refusal as a problem with its hint', async () => {
    const { send } = await startNotes()
    const answer = await send('GET', '/api/notes/other')
    expectProblem(answer, 404, 'not_found')
    expect(answer.json).toEqual({
      code: 'not_found',
      message: 'no note "other"',
      hint: 'They begin with note_.',
      exit: 3,
    })
  })

  it('reveals nothing about a bug except the request id', async () => {
    const { send, logged } = await startNotes()
    const answer = await send('POST', '/api/notes/break')
    expectProblem(answer, 500, 'bug')
    expect(answer.text).not.toContain('secret')
    const requestId = answer.headers['x-request-id'] as string
    expect(answer.json['data']).toEqual({ request_id: requestId })
    const line = logged.find((each) => each.level === 'error')
    expect(line).toMatchObject({
      requestId,
      error: { message: 'a secret inside', stack: expect.any(String) as string },
    })
  })

  it('has a status for every error code', () => {
    expect(Object.keys(statuses).sort()).toEqual([...errorCodes].sort())
  })

  it('returns 404 for an unknown path and 405 for an unsupported method', async () => {
    const { send } = await startNotes()
    expectProblem(await send('GET', '/api/nothing'), 404, 'not_found')
    expectProblem(await send('GET', '/api'), 404, 'not_found')
    const answer = await send('DELETE', '/api/notes/note_1')
    expectProblem(answer, 405, 'unsupported')
    expect(answer.headers['allow']).toBe('GET, PATCH')
    expectProblem(await send('PUT', '/somewhere', { body: {} }), 405, 'unsupported')
  })

  it('carries the version of the daemon, refused or not', async () => {
    const { send } = await startNotes()
    for (const path of ['/api/notes/note_1', '/api/nothing', '/healthz'])
      expect((await send('GET', path)).headers['agency-version']).toBe('0.0.0-test')
  })

  it('gives each request an id and logs it without its content', async () => {
    const { send, logged, operatorToken } = await startNotes()
    const ids = (await Promise.all([1, 2, 3].map(() => send('GET', '/api/notes/note_1?how_many=9')))).map(
      (answer) => answer.headers['x-request-id'],
    )
    expect(new Set(ids).size).toBe(3)
    const lines = logged.filter((line) => line.message === 'request')
    expect(lines.map((line) => line['requestId']).sort()).toEqual([...ids].sort())
    expect(lines[0]).toMatchObject({ method: 'GET', path: '/api/notes/note_1', status: 200, level: 'debug' })
    expect(JSON.stringify(logged)).not.toContain(operatorToken)
  })
})

describe('a body', () => {
  it('must be a JSON object with the content type of JSON', async () => {
    const { send } = await startNotes()
    const text = (body: string | Uint8Array, headers = {}): Promise<Answer> =>
      send('POST', '/api/notes', { body, headers })
    expectProblem(await text('{"note_text": '), 400, 'invalid_input')
    expectProblem(await text('[1]'), 400, 'invalid_input')
    expectProblem(await text('null'), 400, 'invalid_input')
    expectProblem(await text(Buffer.from([0x7b, 0xff, 0x7d])), 400, 'invalid_input')
    expectProblem(await text(JSON.stringify(note), { 'content-type': 'text/plain' }), 415, 'invalid_input')
    expectProblem(await text(JSON.stringify(note), { 'content-encoding': 'gzip' }), 415, 'invalid_input')
    expect((await text(JSON.stringify(note), { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200)
  })

  it('may be omitted where no input is required', async () => {
    const { send } = await startNotes()
    expect((await send('POST', '/api/notes/wait')).json).toEqual({ waited: true })
  })

  it('must not exceed the limit, with or without a Content-Length', async () => {
    const { send } = await startNotes({ maxBodyBytes: 1_000 })
    const body = { note_text: 'x'.repeat(2_000) }
    expectProblem(await send('POST', '/api/notes', { body }), 413, 'too_large')
    const chunked = await send('POST', '/api/notes', {
      body: JSON.stringify(body),
      headers: { 'transfer-encoding': 'chunked' },
    })
    expectProblem(chunked, 413, 'too_large')
    expectProblem(await send('POST', '/api/notes', { body: { note_text: 'x'.repeat(20_000_000) } }), 413, 'too_large')
  })

  it('must not be nested too deeply or contain characters that a store cannot keep', async () => {
    const { send } = await startNotes()
    const deep = `{"note_text":"x","free_form":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`
    expectProblem(await send('POST', '/api/notes', { body: deep }), 400, 'invalid_input')
    expectProblem(await send('POST', '/api/notes', { body: '{"note_text":"a\\u0000"}' }), 400, 'invalid_input')
    expectProblem(await send('POST', '/api/notes', { body: '{"note_text":"a\\ud800"}' }), 400, 'invalid_input')
    expectProblem(await send('GET', '/api/notes/note_%00'), 400, 'invalid_input')
  })
})
