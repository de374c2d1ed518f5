import { describe, expect, it } from 'vitest'

import { tokenSamples } from '../../test/support/token-samples.ts'
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
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhki\ncut off', '[redacted]\ncut off'],
    ['-----BEGIN PRIVATE KEY-----\nb3Bl\n', '[redacted]\n'],
    ['"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhki", "x": 1', '"[redacted]", "x": 1'],
    ['KEY=-----BEGIN PRIVATE KEY----- MIIEvQIBADANBgkqhki b3Bl -----END PRIVATE KEY----- x', 'KEY=[redacted] x'],
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----', '[redacted]'],
    ['password = "hunter2"', 'password = "[redacted]"'],
    ['mysql --password=hunter2 shop', 'mysql --password=[redacted] shop'],
    ['DB_PASSWORD=hunter2\nDB_USER=ada', 'DB_PASSWORD=[redacted]\nDB_USER=ada'],
    ['{"api_key": "a1b2c3d4e5f6a7b8c9"}', '{"api_key": "[redacted]"}'],
    ['sk-0123456789 opr_0123456789abcdef Bearer a1b2c3d4', '[redacted] [redacted] [redacted]'],
    ['{"authorization": "Bearer x"}', '{"authorization": "[redacted]"}'],
    ['https://a1b2c3d4e5f6a7b8c9d0@example.org/x', '[redacted]example.org/x'],
    ['GITHUB_TOKEN=a1b2c3d4e5f6a7b8c9', 'GITHUB_TOKEN=[redacted]'],
    ['SECRET_KEY_BASE = "a1b2c3d4e5f6a7b8c9"', 'SECRET_KEY_BASE = "[redacted]"'],
    ['{"text": "{\\"password\\": \\"hunter2\\"}"}', '{"text": "{\\"password\\": \\"[redacted]\\"}"}'],
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
    'Add Bearer authentication; the bearer of a token is not asked again.',
    'Authorization: Bearer <token>',
    'curl -H "Authorization: Bearer $TOKEN"',
    'http://${user}:${password}@host and https://example.org:8080?mail=ada@example.org',
    'class="sk-toggleable__label-arrow" id="sk-container-id-1"',
    'def ses_send_templated_email(): opr_quarterly_report_total, lnk_user_group_membership',
    'secret: process.env.SESSION_SECRET_2, api_key: "MY_API_KEY_2"',
    'Refuse uploads with -----BEGIN PRIVATE KEY----- in them.\n\n## Evidence\n\n- file a.txt',
    'grep "-----BEGIN RSA PRIVATE KEY-----" -r .\n3 files found\n',
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
    const value = JSON.parse('{"__proto__": {"a": 1}, "list": ["x", "sk-0123456789"]}') as object
    expect(JSON.stringify(redactDeeply(value))).toBe('{"__proto__":{"a":1},"list":["x","[redacted]"]}')
  })
})

describe('the shortest secrets', () => {
  it.each(['pwd=a1b2', 'a://b:c@'])('are redacted: %s', (text) => {
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
      'grep "-----BEGIN PRIVATE KEY-----" -r .\n3 files found\n',
    )
  })
})

describe('tokens of providers', () => {
  it.each(tokenSamples)('are redacted, also beside other text: %s', (name, token) => {
    for (const text of [token, `x=${token};`, `see "${token}" there`, `https://example.org/?key=${token}`]) {
      expect(redact(text), name).toContain('[redacted]')
      expect(redact(text)).not.toContain(token.slice(-12))
    }
  })

  it('are redacted in UTF-16 that was read as UTF-8, also after control characters were replaced', () => {
    for (const gap of ['\0', '\uFFFD']) {
      const wide = [...`key ${tokenSamples[0]?.[1]}`].join(gap)
      expect(redact(wide)).toBe('key [redacted]')
    }
    expect(redact('a picture \0\uFFFD of no secret')).toBe('a picture \0\uFFFD of no secret')
  })

  it.each([
    ['an escape of JSON', (token: string) => JSON.stringify(`keys:\n${token}`)],
    ['an encoded character of an address', (token: string) => `?key%3D${token}`],
    ['a colour', (token: string) => `key\x1B[01;31m${token}\x1B[0m`],
  ])('are redacted behind %s', (_, write) => {
    for (const [name, token] of tokenSamples) expect(redact(write(token)), name).not.toContain(token.slice(-12))
  })

  it.each(['\x1B[0m', '\u200B', '\u00AD'])('are redacted with %j in the middle', (gap) => {
    const token = tokenSamples.find(([name]) => name === 'GitHub')?.[1] ?? ''
    expect(redact(`key ${token.slice(0, 4)}${gap}${token.slice(4)}`)).toBe('key [redacted]')
  })

  it('are not seen in hashes, paths and names', () => {
    for (const text of [
      'sha512-GquwdXTr1CyRzrHsP+GVYnKj/yxIX7kUpyGMKu30fKJa9Hqtp9GP/Zu4BXY3gLIQVc/H5eWdMQmBgMBx5veCbw==',
      'src/adapters/runtime/claude-code/contract.test.ts:17:3',
      'https://example.org/docs/reference/configuration?page=2&sort=name',
      'run_01hzy3v9k2m4n5p6q7r8s9t0ab brf_01hzy3v9k2m4n5p6q7r8s9t0ab',
      'Authorization is Basic authentication here',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ])
      expect(redact(text)).toBe(text)
  })
})

describe('a known value', () => {
  const value = 'purple-monkey/dishwasher+9'
  const forget = rememberSecrets([value])
  const bytes = Buffer.from(value)

  it.each([
    ['base64', bytes.toString('base64')],
    ['base64 behind one other byte', Buffer.concat([Buffer.from('x'), bytes]).toString('base64')],
    ['base64 between other bytes', Buffer.from(`KEY=${value}\nOTHER=1\n`).toString('base64')],
    ['base64 for addresses', bytes.toString('base64url')],
    ['base64 of UTF-16', Buffer.from(value, 'utf16le').toString('base64')],
    ['hexadecimal', bytes.toString('hex')],
    ['hexadecimal in capitals', bytes.toString('hex').toUpperCase()],
    ['the encoding of addresses', encodeURIComponent(value)],
    ['the encoding of addresses in small letters', 'purple-monkey%2fdishwasher%2b9'],
    ['JSON', 'purple-monkey\\/dishwasher+9'],
    ['a part of its base64', bytes.toString('base64').slice(9, 28)],
  ])('is redacted in %s', (_, text) => {
    expect(redact(`it is ${text} .`)).toMatch(/^it is \[redacted\]/)
    expect(redact(`it is ${text} .`)).not.toContain(text.slice(4, 16))
  })

  it('is known until it is forgotten as often as it was remembered', () => {
    const again = rememberSecrets([value])
    again()
    again()
    expect(redact(value)).toBe('[redacted]')
    forget()
    expect(redact(value)).toBe(value)
    expect(redact(bytes.toString('hex'))).toBe(bytes.toString('hex'))
  })
})

describe('names of properties', () => {
  it('are redacted too, and say that their value is a secret', () => {
    const token = 'ghp_0123456789abcdefghij'
    expect(redactDeeply({ [token]: 1, files: [{ [`src/${token}.ts`]: 'x' }] })).toEqual({
      '[redacted]': 1,
      files: [{ 'src/[redacted].ts': 'x' }],
    })
    expect(redactDeeply({ db_password: 'hunter2', password: 'required', api_key: 'a1b2c3d4e5f6a7b8c9' })).toEqual({
      db_password: '[redacted]',
      password: 'required',
      api_key: '[redacted]',
    })
  })
})

it('takes time proportional to the length of any text', () => {
  const parts = [
    'sk-',
    '-eyJ',
    'eyJabcdefgh.',
    'agt_',
    'a://b:',
    'Basic ',
    'Bearer  ',
    '-----BEGIN ',
    'SG.',
    '8Q~',
    'a\0',
    '-----BEGIN PRIVATE KEY-----A: b\n',
    '-----BEGIN PRIVATE KEY-----AAAA "',
    '\\nghp_',
    '\x1B[31m',
  ]
  for (const part of [...parts, 'password=', 'x', '1//0', 'glpat-', 'https://']) {
    const time = (length: number): number => {
      const text = part.repeat(Math.ceil(length / part.length))
      const times = [1, 2, 3].map(() => {
        // Only the time of this thread counts: on a busy machine it waits for others.
        const from = process.threadCpuUsage()
        redact(text)
        const { user, system } = process.threadCpuUsage(from)
        return (user + system) / 1_000
      })
      return Math.min(...times)
    }
    time(50_000)
    // Quadratic time would be sixty-four times as long.
    expect(time(400_000), part).toBeLessThan(30 * Math.max(time(50_000), 2))
  }
})
