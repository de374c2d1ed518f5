import { generateKeyPairSync } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { systemClock as clock } from '../kernel/clock.ts'
import { type SourceText, type ScanLimits, scanForSecrets } from './scan.ts'

const scan = (parts: SourceText[], limits: Partial<ScanLimits> = {}) => scanForSecrets(parts, { clock, ...limits })

/** Put together here, so that nobody who looks for secrets finds one in this file. */
const token = ['ghp', '_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('')
const awsKey = ['AWS_SECRET_ACCESS_KEY', ' = ', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAQZLEKE'].join('')
const password = ['pass', 'word = "', 'hunter2', '"'].join('')
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

describe('what an agent wrote', () => {
  it('is told by what it looks like, its file, and its line in the file', async () => {
    const findings = await scan([
      { path: 'a.ts', text: `export const a = 1\nconst token = '${token}'\n` },
      { path: 'deploy/key.pem', text: pem },
      { path: 'settings.ini', line: 40, text: `[db]\n${password}\n` },
      { path: '.env', text: `${awsKey}\n` },
      { path: 'b.ts', text: 'const nothing = true\n' },
    ])
    expect(findings).toEqual([
      { rule: 'github', path: 'a.ts', line: 2, shown: "const token = '[redacted]" },
      { rule: 'privatekey', path: 'deploy/key.pem', line: 1, shown: '[redacted]' },
      { rule: 'password', path: 'settings.ini', line: 41, shown: 'password = "[redacted]' },
      { rule: 'aws', path: '.env', line: 1, shown: '[redacted]' },
    ])
    const told = JSON.stringify(findings)
    for (const secret of [token, 'hunter2', pem.split('\n')[1], awsKey.slice(-20)]) expect(told).not.toContain(secret)
  })

  it('cannot excuse itself', async () => {
    const text = `// secretlint-disable\nconst a = '${token}' // secretlint-disable-line\n`
    expect(await scan([{ path: 'a.ts', text }])).toMatchObject([{ rule: 'github', line: 2 }])
  })

  it('has no private key by cutting its end off, or by writing it on one line', async () => {
    const cut = pem.split('\n').slice(0, 3).join('\n')
    const onOneLine = JSON.stringify({ key: pem })
    expect(await scan([{ path: 'a', text: cut }])).toMatchObject([{ rule: 'private-key', line: 1 }])
    expect(await scan([{ path: 'a.json', text: onOneLine }])).toMatchObject([{ path: 'a.json', line: 1 }])
  })

  it('may speak of keys and passwords', async () => {
    const text = `The file begins with -----BEGIN RSA PRIVATE KEY-----.
password = os.environ["DB_PASSWORD"]
const password = 'changeme'
GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
`
    expect(await scan([{ path: 'README.md', text }])).toEqual([])
  })

  it('is never opened by the path that it gives itself', async () => {
    expect(await scan([{ path: '../../etc/passwd.p12', text: 'a' }])).toEqual([])
  })
})

describe('what is too much', () => {
  it('is a finding, and the rest is looked at', async () => {
    const long: SourceText = { path: 'long.txt', text: `${password}\n${'a'.repeat(200)}` }
    expect(await scan([long, { path: 'b', text: pem }], { maxPartLength: 100, maxTotalLength: 150 })).toMatchObject([
      { rule: 'password', path: 'long.txt', line: 1 },
      { rule: 'private-key', path: 'b' },
      { rule: 'not_scanned', path: 'long.txt', shown: 'only the first 100 of 221 characters were looked at' },
      { rule: 'not_scanned', path: 'b' },
    ])
  })

  it('is a finding when it takes too long', async () => {
    expect(await scan([{ path: 'slow', text: 'a' }], { timeoutMs: 0 })).toEqual([
      { rule: 'not_scanned', path: 'slow', line: 1, shown: 'it took more than 0 s' },
    ])
  })

  it('is told of when there are more findings than anybody reads', async () => {
    const findings = await scan([{ path: 'many.ini', text: `${password}\n`.repeat(1_000) }])
    expect(findings).toHaveLength(51)
    expect(findings.at(-1)).toMatchObject({ rule: 'not_scanned', path: 'many.ini' })
  })

  it('is not even begun for nothing', async () => {
    expect(await scan([])).toEqual([])
    expect(await scan([{ path: 'empty', text: '' }])).toEqual([])
  })
})
