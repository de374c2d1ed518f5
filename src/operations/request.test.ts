import { describe, expect, it } from 'vitest'

import { get, post } from './endpoint.ts'
import { requestFor } from './request.ts'

describe('a request with half a surrogate pair', () => {
  const half = 'a\ud83d'

  it('has U+FFFD in the query, as a browser sends it', () => {
    expect(requestFor(get('/notes'), { status: half }).path).toBe('/api/notes?status=a%EF%BF%BD')
  })

  it('has U+FFFD in the path', () => {
    expect(requestFor(post('/notes/:note_id/resolve'), { note_id: half }).path).toBe('/api/notes/a%EF%BF%BD/resolve')
  })

  it('keeps the half in the body, so that the daemon can refuse it', () => {
    expect(requestFor(post('/notes'), { description: half }).body).toBe('{"description":"a\\ud83d"}')
  })
})
