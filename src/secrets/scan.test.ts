import { generateKeyPairSync } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { systemClock as clock } from '../kernel/clock.ts'
import { tokenSamples } from '../../test/support/token-samples.ts'
import { rememberSecrets } from './redact.ts'
import { type SourceText, type ScanLimits, scanForSecrets } from './scan.ts'

const scan = (parts: SourceText[], limits: Partial<ScanLimits> = {}) => scanForSecrets(parts, { clock, ...limits })

/** Assembled here, so that a secret scanner finds none in this file. */
const token = ['ghp', '_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('')
const awsKey = ['AWS_SECRET_ACCESS_KEY', ' = ', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAQZLEKE'].join('')
const password = ['pass', 'word = "', 'hunter2', '"'].join('')
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

describe('scanning for secrets', () => {
  it('reports the kind, the file and the line of each secret, but never the secret', async () => {
    const findings = await scan([
      { path: 'a.ts', text: `export const a = 1\nconst token = '${token}'\n` },
      { path: 'deploy/key.pem', text: pem },
      { path: 'settings.ini', line: 40, text: `[db]\n${password}\n` },
      { path: '.env', text: `${awsKey}\n` },
      { path: 'b.ts', text: 'const nothing = true\n' },
    ])
    expect(findings).toEqual([
      { rule: 'github', path: 'a.ts', line: 2, excerpt: "const token = '[redacted]" },
      { rule: 'privatekey', path: 'deploy/key.pem', line: 1, excerpt: '[redacted]' },
      { rule: 'password', path: 'settings.ini', line: 41, excerpt: 'password = "[redacted]' },
      { rule: 'aws', path: '.env', line: 1, excerpt: '[redacted]' },
    ])
    const report = JSON.stringify(findings)
    for (const secret of [token, 'hunter2', pem.split('\n')[1], awsKey.slice(-20)]) expect(report).not.toContain(secret)
  })

  it('ignores comments that would disable the scan', async () => {
    const text = `// secretlint-disable\nconst a = '${token}' // secretlint-disable-line\n`
    expect(await scan([{ path: 'a.ts', text }])).toMatchObject([{ rule: 'github', line: 2 }])
  })

  it('finds a private key that is truncated or written on one line', async () => {
    const cut = pem.split('\n').slice(0, 3).join('\n')
    const onOneLine = JSON.stringify({ key: pem })
    expect(await scan([{ path: 'a', text: cut }])).toMatchObject([{ rule: 'private-key', line: 1 }])
    expect(await scan([{ path: 'a.json', text: onOneLine }])).toMatchObject([{ path: 'a.json', line: 1 }])
  })

  it('ignores text that mentions keys and passwords', async () => {
    const text = `The file begins with -----BEGIN RSA PRIVATE KEY-----.
password = os.environ["DB_PASSWORD"]
const password = 'changeme'
GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
`
    expect(await scan([{ path: 'README.md', text }])).toEqual([])
  })

  it('never opens a file by the path of the text', async () => {
    expect(await scan([{ path: '../../etc/passwd.p12', text: 'a' }])).toEqual([])
  })
})

describe('limits of the secret scan', () => {
  it('reports a text over the limit as a finding and scans the rest', async () => {
    const long: SourceText = { path: 'long.txt', text: `${password}\n${'a'.repeat(200)}` }
    expect(await scan([long, { path: 'b', text: pem }], { maxTextLength: 100, maxTotalLength: 150 })).toMatchObject([
      { rule: 'password', path: 'long.txt', line: 1 },
      { rule: 'private-key', path: 'b' },
      { rule: 'not_scanned', path: 'long.txt', excerpt: 'only the first 100 of 221 characters were looked at' },
      { rule: 'not_scanned', path: 'b' },
    ])
  })

  it('reports a scan that takes too long as a finding', async () => {
    expect(await scan([{ path: 'slow', text: 'a' }], { timeoutMs: 0 })).toEqual([
      { rule: 'not_scanned', path: 'slow', line: 1, excerpt: 'it took more than 0 s' },
    ])
  })

  it('cuts a long list of findings and reports that there are more', async () => {
    const findings = await scan([{ path: 'many.ini', text: `${password}\n`.repeat(1_000) }])
    expect(findings).toHaveLength(51)
    expect(findings.at(-1)).toMatchObject({ rule: 'not_scanned', path: 'many.ini' })
  })

  it('keeps the text of a cut list, since the rule that an operator has allowed is a hash of it', async () => {
    const findings = await scan([{ path: 'many.ini', text: `${password}\n`.repeat(60) }])
    expect(findings.at(-1)?.excerpt).toBe('there are more than 50 findings; what comes after them was not looked at')
  })

  it('returns no findings for empty input', async () => {
    expect(await scan([])).toEqual([])
    expect(await scan([{ path: 'empty', text: '' }])).toEqual([])
  })
})

describe('the rules of a scan', () => {
  it('know each token that is redacted in output', async () => {
    const findings = await scan(tokenSamples.map(([name, sample]) => ({ path: name, text: `a = "${sample}"\n` })))
    expect(findings.map(({ path }) => path)).toEqual(tokenSamples.map(([name]) => name))
    const report = JSON.stringify(findings)
    for (const [, sample] of tokenSamples) expect(report).not.toContain(sample.slice(-12))
  })

  it('read UTF-16', async () => {
    const wide = Buffer.from(`token ${tokenSamples[0]?.[1]}\n`, 'utf16le').toString('utf8')
    expect(await scan([{ path: 'a.txt', text: wide }])).toMatchObject([{ rule: 'token', line: 1 }])
  })

  it('know the values of this process, also encoded', async () => {
    const value = 'a key without any format'
    const forget = rememberSecrets([value])
    const texts = [value, Buffer.from(`x ${value}`).toString('base64'), Buffer.from(value).toString('hex')]
    const findings = await scan(texts.map((text, index) => ({ path: `${index}.txt`, text })))
    forget()
    expect(findings).toMatchObject(texts.map((_, index) => ({ rule: 'known', path: `${index}.txt` })))
    expect(JSON.stringify(findings)).not.toContain(value)
    expect(await scan(texts.map((text, index) => ({ path: `${index}.txt`, text })))).toEqual([])
  })
})
