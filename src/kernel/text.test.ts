import { describe, expect, it } from 'vitest'

import { redact } from './text.ts'

describe('a text that is stored or logged', () => {
  it.each([
    ['agt_att_0123456789ab.3.abcdefghijkl', '[redacted]'],
    ['token opr_0123456789abcdef0123456789abcdef!', 'token [redacted]!'],
    ['ses_1900000000000.abcdefghijkl and lnk_0123456789abcdef', '[redacted] and [redacted]'],
    ['key sk-live-0123456789', 'key [redacted]'],
    ['ghp_0123456789abcdefghij', '[redacted]'],
    ['Authorization: bearer abc.def', 'Authorization: [redacted]'],
    ['AUTHORIZATION: BEARER abc.def', 'AUTHORIZATION: [redacted]'],
    ['postgres://ada:secret@db/agency', '[redacted]db/agency'],
    ['a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nb', 'a\n[redacted]\nb'],
    ['-----BEGIN PRIVATE KEY-----\ncut off', '[redacted]'],
    ['sk-0123456789 opr_0123456789abcdef Bearer x', '[redacted] [redacted] [redacted]'],
  ])('%j loses what looks like a secret', (text, redacted) => {
    expect(redact(text)).toBe(redacted)
  })

  it.each(['main attempt 1 (scripted, not boxed)', 'my_file.txt', 'http://127.0.0.1:7717/runs', 'task-list'])(
    '%j keeps the rest',
    (text) => {
      expect(redact(text)).toBe(text)
    },
  )
})
