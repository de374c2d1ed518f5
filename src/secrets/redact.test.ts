import { describe, expect, it } from 'vitest'

import { createRedactor, redact, redactDeeply, rememberSecrets } from './redact.ts'

describe('redact', () => {
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
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----', '[redacted]'],
    ['password = "hunter2"', 'password = "[redacted]"'],
    ['mysql --password=hunter2 shop', 'mysql --password=[redacted] shop'],
    ['DB_PASSWORD=hunter2\nDB_USER=ada', 'DB_PASSWORD=[redacted]\nDB_USER=ada'],
    ['{"api_key": "a1b2c3d4e5f6a7b8c9"}', '{"api_key": "[redacted]"}'],
    ['sk-0123456789 opr_0123456789abcdef Bearer x', '[redacted] [redacted] [redacted]'],
  ])('redacts the secret in %j', (text, redacted) => {
    expect(redact(text)).toBe(redacted)
  })

  it.each([
    'main attempt 1 (scripted, not boxed)',
    'my_file.txt',
    'http://127.0.0.1:7717/runs',
    'task-list',
    'password = os.environ["DB_PASSWORD"]',
    'Ask for a password: it must have 8 characters.',
  ])('leaves %j unchanged', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('redacts known secrets, except values too short to be distinguished from words', () => {
    rememberSecrets(['correct-horse-battery', 'word'])
    expect(redact('It is correct-horse-battery, in a word.')).toBe('It is [redacted], in a word.')
  })

  it('redacts strings at every depth of a value', () => {
    expect(redactDeeply({ a: ['sk-0123456789', { b: 'password="hunter2"' }], n: 1, none: null })).toEqual({
      a: ['[redacted]', { b: 'password="[redacted]"' }],
      n: 1,
      none: null,
    })
  })
})

describe('a value without secrets', () => {
  it('is returned as it is', () => {
    const value = { a: ['text', { b: 'a longer text' }], n: Number.MAX_SAFE_INTEGER, none: null }
    expect(redactDeeply(value)).toBe(value)
  })

  it('keeps the parts beside a secret, also under unusual names', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "list": ["x", "Bearer abc"]}') as object
    expect(JSON.stringify(redactDeeply(value))).toBe('{"__proto__":{"a":1},"list":["x","[redacted]"]}')
  })
})

describe('the shortest secrets', () => {
  it.each(['Bearer x', 'pwd=a1b2', 'a://b:c@'])('are redacted: %s', (text) => {
    expect(text).toHaveLength(8)
    expect(redact(text)).toContain('[redacted]')
  })
})

describe('a redactor of lines', () => {
  const redactLines = (...lines: string[]): string => {
    const redactNext = createRedactor()
    return lines.map((line) => redactNext(`${line}\n`)).join('')
  }

  it('redacts a private key of many lines, also with line numbers', () => {
    const key = ['-----BEGIN RSA PRIVATE KEY-----', 'Proc-Type: 4,ENCRYPTED', '', 'MIIEowIBAAKCAQEA7', 'q8Zb+/9=']
    expect(redactLines('before', ...key, '-----END RSA PRIVATE KEY-----', 'after')).toBe('before\n[redacted]\nafter\n')
    expect(redactLines('1 -----BEGIN PRIVATE KEY-----', '2 MIIEow', '3 -----END PRIVATE KEY----- x')).toBe(
      '1 [redacted] x\n',
    )
  })

  it('resumes output after a key without an end, and after the mere mention of one', () => {
    expect(redactLines('-----BEGIN PRIVATE KEY-----', 'MIIEow', 'That was all.', 'More')).toBe(
      '[redacted]That was all.\nMore\n',
    )
    expect(redactLines('grep "-----BEGIN PRIVATE KEY-----" -r .', '3 files found')).toBe(
      'grep "[redacted]3 files found\n',
    )
  })
})
