import { describe, expect, it } from 'vitest'

import { assignedSecrets } from './passwords.ts'

const valuesIn = (text: string, quotedOnly = false): string[] =>
  assignedSecrets(text, { quotedOnly }).map(({ start, end }) => text.slice(start, end))

describe('assigned secrets', () => {
  it.each([
    ['password = "hunter2"', 'hunter2'],
    ["const dbPassword: string = 'tr0ub4dor'", 'tr0ub4dor'],
    ['password = "swordfish"', 'swordfish'],
    ['password := `s3cret-of-ours`', 's3cret-of-ours'],
    ['{"password": "p4ss!word"}', 'p4ss!word'],
    ["config['password'] = b'9f8e7d'", '9f8e7d'],
    ["'password' => 'Zx81spectrum'", 'Zx81spectrum'],
    ['passphrase: "four words with 1 number"', 'four words with 1 number'],
    ['client_secret = "8sdf7sdf98s7df98s7df"', '8sdf7sdf98s7df98s7df'],
    ['API_KEY="a1b2c3d4e5f6a7b8c9d0"', 'a1b2c3d4e5f6a7b8c9d0'],
  ])('finds the value in %s', (text, value) => {
    expect(valuesIn(text)).toEqual([value])
    expect(valuesIn(text, true)).toEqual([value])
  })

  it.each([
    ['DB_PASSWORD=hunter2', 'hunter2'],
    ['export PGPASSWORD=hunter2 # local', 'hunter2'],
    ['  password: hunter2\n  user: ada', 'hunter2'],
    ['spring.datasource.password = c0rrect', 'c0rrect'],
    ['mysql --password=hunter2 shop', 'hunter2'],
    ['https://example.org/login?password=hunter2&user=ada', 'hunter2'],
    ['pwd=no!way', 'no!way'],
    ['{"text":"password = hunter2x1"}', 'hunter2x1'],
    ['`aws_secret_access_key = a1b2c3d4e5f6a7b8c9d0/+`', 'a1b2c3d4e5f6a7b8c9d0/+'],
  ])('finds the unquoted value in %j, unless only quoted values count', (text, value) => {
    expect(valuesIn(text)).toEqual([value])
    expect(valuesIn(text, true)).toEqual([])
  })

  it.each([
    'password = os.environ["DB_PASSWORD"]',
    'password = os.environ.get("DB_PASSWORD")',
    'password: process.env.DB_PASSWORD',
    'password = getpass.getpass()',
    'password = config["password"]',
    'password = password',
    'password: string',
    'password: Optional[str] = None',
    'password: &str,',
    'fn login(password: String) -> Result<(), E>',
    'password = changeme',
    'password = "changeme"',
    'password = "change-me"',
    'password = "your-password-here"',
    'password = "<password>"',
    'password = "[your password]"',
    'password = xxx',
    'password = "xxxxxxxx"',
    'password: "********"',
    'password = "..."',
    'password = ""',
    'password = null',
    'DB_PASSWORD=${DB_PASSWORD}',
    'password: "{{ vault_password }}"',
    'password: !vault |',
    'PASSWORD=$1',
    'token: ${{ secrets.NPM_TOKEN_2 }}',
    '"password": "Passwort"',
    '"password": "Enter your password"',
    'password: "required"',
    'autocomplete="new-password"',
    '<input type="password" name="password" minlength="8">',
    'if (password === "hunter2") return',
    'expect(password).toBe("hunter2")',
    'password_hash = "5f4dcc3b5aa765d61d8327deb882cf99"',
    'passwordMinLength = 12',
    'secretName: "database-credentials-1"',
    'secret = "not that long"',
    'PWD=/srv/app1',
    'password_file: /run/secrets/db1',
    'password: /run/secrets/db1',
    'Your password: it must have 8 characters and 1 digit',
    'max_tokens: 50000, token: 12',
    '"rule-1password": "^13.0.7",',
    'the secret: work hard',
    'const secret = crypto.randomBytes(32)',
    'secret_key: bcrypt.hashSync(word1, 10)',
    'let access_key = store.keys[12].value',
    'say "password: min8" here',
  ])('finds nothing in %s', (text) => {
    expect(valuesIn(text)).toEqual([])
  })

  it('takes time proportional to the length of the text', () => {
    const members = `api_key=${'abcdefghijabcdefghij.'.repeat(9)}9 `
    const pieces = [
      members,
      'password',
      'password=',
      'password: ',
      'password="',
      `password:${' '.repeat(8)}`,
      'api_key=token=',
    ]
    for (const piece of pieces) {
      const start = performance.now()
      assignedSecrets(piece.repeat(Math.ceil(300_000 / piece.length)))
      expect(performance.now() - start).toBeLessThan(3_000)
    }
  })
})
