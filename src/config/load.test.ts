import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { freshFolder } from '../../test/support/store.ts'
import { AgencyError } from '../kernel/errors.ts'
import { configurationKeys, settingMeta } from './contract.ts'
import { type ConfigurationSources, explainConfiguration, loadConfiguration } from './load.ts'

const withFile = (text: string): { config: string } => {
  const config = join(freshFolder(), 'config.yaml')
  writeFileSync(config, text)
  return { config }
}
const load = (text: string, more: Partial<ConfigurationSources> = {}) =>
  loadConfiguration({ env: {}, home: withFile(text), ...more })
const refused = (work: () => unknown): AgencyError => {
  try {
    work()
  } catch (error) {
    if (error instanceof AgencyError) return error
    throw error
  }
  throw new Error('it was accepted')
}

describe('configuration', () => {
  it('is complete without a file', () => {
    const { values, origins } = loadConfiguration({ env: {}, home: { config: join(freshFolder(), 'none.yaml') } })
    expect(values).toEqual({
      port: null,
      databaseUrl: null,
      slots: 4,
      logLevel: 'info',
      idleMinutes: 30,
      hardMinutes: 240,
      crashRetries: 3,
      retryBudget: 3,
      defaultRuntime: null,
      claude: {
        binary: null,
        environment: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
      },
      llm: { providers: {} },
      box: 'auto',
      boxReadable: [],
      allowUnsandboxedYolo: false,
      network: { allowed: true, allow: [], block: [], private: [] },
      limits: { maxProcesses: null, maxMemoryMb: null, maxDiskMb: null },
      setup: { files: [], minutes: 10, maxDiskMb: 10_240 },
      checks: { host: [] },
      bodyLimitMb: 8,
      verify: 'auto',
      verificationLimit: 3,
      acceptance: 'auto',
      onLimit: 'ask',
      gateTimeoutMinutes: null,
      undoSeconds: 10,
      questionReminderMinutes: 60,
      notify: [{ adapter: 'terminal', timeoutSeconds: 10 }],
    })
    expect(new Set(Object.values(origins).map(({ from }) => from))).toEqual(new Set(['default']))
  })

  it('sets the network and the limits of boxes key by key, with defaults for the rest', () => {
    const { values } = load(
      'box: required\nnetwork: { block: [example.org, "*.test"] }\nlimits: { max_processes: 20 }\n',
    )
    expect(values.box).toBe('required')
    expect(values.network).toEqual({ allowed: true, allow: [], block: ['example.org', '*.test'], private: [] })
    expect(values.limits).toEqual({ maxProcesses: 20, maxMemoryMb: null, maxDiskMb: null })
    const env = { AGENCY_NETWORK: '{"allowed": false}', AGENCY_BOX: 'off', AGENCY_ALLOW_UNSANDBOXED_YOLO: 'true' }
    const given = loadConfiguration({ env, home: { config: join(freshFolder(), 'none.yaml') } })
    expect(given.values).toMatchObject({
      box: 'off',
      network: { allowed: false, block: [] },
      allowUnsandboxedYolo: true,
    })
    expect(explainConfiguration(given).find(({ key }) => key === 'limits')?.value).toEqual({
      max_processes: null,
      max_memory_mb: null,
      max_disk_mb: null,
    })
  })

  it.each([
    ['box: sometimes', 'box must be auto, off or required, not "sometimes"'],
    ['box_readable: [relative]', 'box_readable.0: must be an absolute path'],
    ['network: { block: ["http://x/"] }', 'network.block.0: is not a host'],
    ['network: { blocked: [] }', 'network must be allowed, allow, block and private'],
    ['limits: { max_processes: 0 }', 'limits.max_processes: '],
    ['llm: { providers: { x: { kind: magic } } }', 'llm.providers.x.kind: '],
    ['llm: { providers: { x: { kind: openai-compatible } } }', 'llm.providers.x: base_url is missing'],
    ['llm: { providers: { x: { kind: ollama, base_url: "http://a:b@c/" } } }', 'must not contain a name or a password'],
    ['llm: { providers: { x: { kind: ollama, api_key: abc } } }', 'Unrecognized key'],
    ['allow_unsandboxed_yolo: perhaps', 'allow_unsandboxed_yolo must be true or false'],
  ])('%s is refused', (text, expected) => {
    expect(refused(() => load(text)).message).toContain(expected)
  })

  it('is complete with an empty file, or one of comments only', () => {
    expect(load('').values.slots).toBe(4)
    expect(load('# nothing yet\n').values.slots).toBe(4)
  })

  it('prefers the flag to the environment, the environment to the file, and the file to the default', () => {
    const text = '# ours\nslots: 5\nport: 5001\nidle_minutes: 5\n'
    const { values, origins } = load(text, {
      env: { AGENCY_SLOTS: '6', AGENCY_PORT: '6001' },
      flags: { slots: '7' },
    })
    expect([values.slots, values.port, values.idleMinutes, values.hardMinutes]).toEqual([7, 6001, 5, 240])
    expect([origins.slots, origins.port, origins.idleMinutes, origins.hardMinutes].map(({ name }) => name)).toEqual([
      '--slots',
      'AGENCY_PORT',
      'config.yaml:4',
      'default',
    ])
  })

  it('treats null, off and none as null in every source', () => {
    expect(load('idle_minutes: null\nhard_minutes: ~\n').values).toMatchObject({ idleMinutes: null, hardMinutes: null })
    expect(load('idle_minutes: 3\n', { env: { AGENCY_IDLE_MINUTES: 'off' } }).values.idleMinutes).toBeNull()
    expect(load('port: 80\n', { flags: { port: null } }).values.port).toBeNull()
  })

  it('treats an empty variable as not set', () => {
    expect(load('slots: 2', { env: { AGENCY_SLOTS: '', DATABASE_URL: '' } }).values).toMatchObject({
      slots: 2,
      databaseUrl: null,
    })
  })

  it.each([
    ['slots: 0', 'slots must be a whole number from 1 to 1000, not 0'],
    ['slots: many', 'slots must be a whole number from 1 to 1000, not "many"'],
    ['slots: 2.5', 'slots must be a whole number from 1 to 1000, not 2.5'],
    ['slots:', 'slots must be a whole number from 1 to 1000, not null'],
    ['port: 70000', 'port must be a whole number from 0 to 65535, or null, not 70000'],
    ['log_level: loud', 'log_level must be debug, info, warn or error, not "loud"'],
    ['default_runtime: [a]', 'default_runtime must be the name of a runtime, or null, not ["a"]'],
  ])('refuses %s with the expected value and the line', (text, message) => {
    expect(refused(() => load(`\n${text}\n`)).message).toMatch(
      new RegExp(`config\\.yaml:2: ${message.replace(/[[\]]/g, '\\$&')}$`),
    )
  })

  it('names the variable or flag with an invalid value', () => {
    expect(refused(() => load('', { env: { AGENCY_PORT: 'abc' } })).message).toMatch(
      /^AGENCY_PORT: port must be .*, not "abc"$/,
    )
    expect(refused(() => load('', { flags: { port: '-1' } })).message).toMatch(/^--port: port must be .*, not "-1"$/)
  })

  it('refuses an invalid value in the file even if another source overrides it', () => {
    expect(refused(() => load('port: abc', { flags: { port: 80 } })).message).toContain('port must be')
  })

  it('names the line of an unknown setting and suggests the nearest one', () => {
    const error = refused(() => load('port: 80\nslotz: 3\n'))
    expect(error.message).toMatch(/config\.yaml:2:1: unknown setting "slotz"; did you mean "slots"\?$/)
    expect(error.data).toMatchObject({ line: 2, column: 1, nearest: 'slots' })
    expect(refused(() => load('utterly_different: 1')).message).toMatch(/unknown setting "utterly_different"$/)
  })

  it.each([
    ['port: [1, 2', 1],
    ['port: 1\n  slots: 2', 1],
    ['default_runtime: "open\nport: 1\n', 1],
    ['port: 1\nport: 2\n', 2],
    ['- port\n', 1],
    ['just text\n', 1],
    ['slots: *nowhere\n', 1],
    ['port: 1\n\tslots: 2\n', 1],
  ])('reports the position of invalid YAML: %j', (text, line) => {
    const error = refused(() => load(text))
    expect(error.code).toBe('invalid_input')
    expect(error.message).not.toContain('\n')
    expect(error.data['line']).toBeGreaterThanOrEqual(line)
    expect(error.message).toContain(`config.yaml:${error.data['line']}:${error.data['column']}: `)
  })

  it('reports a file that cannot be read', () => {
    const config = join(freshFolder(), 'config.yaml')
    mkdirSync(config)
    expect(refused(() => loadConfiguration({ env: {}, home: { config } })).message).toContain(
      `${config} cannot be read`,
    )
  })

  it('never shows a password', () => {
    const url = 'postgres://ada:hunter2@db.example:5432/agency?password=hunter3'
    const explained = explainConfiguration(load('', { env: { DATABASE_URL: url } }))
    expect(JSON.stringify(explained)).not.toMatch(/hunter|\bada\b/)
    expect(explained.find(({ key }) => key === 'database_url')).toMatchObject({
      value: 'postgres://[redacted]@db.example:5432/agency',
      from: 'DATABASE_URL',
    })
    const wrong = refused(() => load('', { env: { DATABASE_URL: 'mysql://ada:hunter2@x/y' } }))
    expect(wrong.message).not.toMatch(/hunter|\bada\b/)
    const inFile = refused(() => load('database_url: mysql://ada:hunter2@x/y'))
    expect(inFile.message).not.toMatch(/hunter|\bada\b/)
  })

  it('explains every setting', () => {
    for (const { description, value, environment } of explainConfiguration(load(''))) {
      expect(description).not.toBe('')
      expect(value).not.toBeUndefined()
      expect(environment).toMatch(/^(AGENCY_[A-Z_]+|DATABASE_URL)$/)
    }
    for (const key of configurationKeys) expect(settingMeta(key).expected).not.toBe('')
  })
})

describe('checks on the host', () => {
  it('name a repository and its commands', () => {
    const { checks } = load('checks:\n  host:\n    - { repository: /srv/shop, commands: [make test] }\n').values
    expect(checks).toEqual({ host: [{ repository: '/srv/shop', commands: ['make test'], setup: null }] })
  })

  it.each([
    ['checks: host', 'checks must be host: a list of {repository, commands, setup}'],
    ['checks: {host: [{repository: shop, commands: [x]}]}', 'checks.host.0.repository: must be an absolute path'],
    ['checks: {host: [{repository: /shop, commands: []}]}', 'checks.host.0.commands'],
    ['checks: {host: [{repository: /shop}]}', 'checks.host.0.commands'],
    [
      'checks: {host: [{repository: /shop, commands: [x]}, {repository: /shop, commands: [y]}]}',
      'checks.host: a repository is listed twice',
    ],
  ])('%s is refused', (text, expected) => {
    expect(refused(() => load(text)).message).toContain(expected)
  })
})

describe('the list of notifiers', () => {
  it('is read in the names of the file, with defaults', () => {
    const { notify } = load(
      'notify:\n  - adapter: webhook\n    url: https://example.org/x\n    timeout_seconds: 3\n    on: [gate_pending]\n  - {adapter: program, command: [notify-send]}\n',
    ).values
    expect(notify).toEqual([
      { adapter: 'webhook', url: 'https://example.org/x', timeoutSeconds: 3, on: ['gate_pending'] },
      { adapter: 'program', command: ['notify-send'], timeoutSeconds: 10, pass: [] },
    ])
  })

  it('may be empty, and may be given as JSON in the environment', () => {
    expect(load('notify: []').values.notify).toEqual([])
    const env = { AGENCY_NOTIFY: '[{"adapter": "terminal", "name": "here"}]' }
    expect(load('notify: []', { env }).values.notify).toMatchObject([{ adapter: 'terminal', name: 'here' }])
  })

  it.each([
    ['notify: yes', ':1: notify must be a list of notifiers'],
    ['notify: [{adapter: pigeon}]', 'notify.0.adapter: must be terminal, webhook'],
    ['notify: [{adapter: webhook}]', 'notify.0.url: must be an http or https address'],
    ['notify: [{adapter: webhook, url: "ftp://hunter2"}]', 'notify.0.url: must be an http or https address'],
    ['notify: [{adapter: slack, url: {env: "a b"}}]', 'notify.0.url.env: is not the name of a variable'],
    ['notify: [{adapter: slack, url: {file: hunter2}}]', 'notify.0.url.file: must be an absolute path'],
    ['notify: [{adapter: terminal, hunter: 2}]', 'notify.0: Unrecognized key: "hunter"'],
    ['notify: [{adapter: terminal, timeoutSeconds: 2}]', 'timeoutSeconds (write timeout_seconds)'],
    ['notify: [{adapter: terminal, on: [lunch]}]', 'notify.0.on.0: Invalid option: expected one of "gate_pending"'],
    ['notify: [{adapter: terminal}, {adapter: terminal}]', 'notify.1.name: two notifiers are called "terminal"'],
    ['notify: [{adapter: program, command: []}]', 'notify.0.command'],
    [
      'notify: [{adapter: email, server: "smtp://ada:hunter2@mail", from: a@b, to: [c@d]}]',
      'notify.0.server: must not contain a user',
    ],
    ['notify: [{adapter: email, server: "smtp://mail", from: "a@b\\r\\nBcc: x@y", to: [c@d]}]', 'notify.0.from'],
  ])('%s is refused without a secret in the message', (text, expected) => {
    const { message, data } = refused(() => load(text))
    expect(message).toContain(expected)
    expect(JSON.stringify([message, data])).not.toContain('hunter2')
  })

  it('is shown without its secrets, but with the variables and files that hold them', () => {
    const text = `notify:
  - { adapter: webhook, url: "https://example.org/hunter2", token: hunter2, secret: hunter2 }
  - { adapter: slack, url: { env: SLACK_URL } }
  - { adapter: email, server: "smtp://mail:25", password: hunter2, from: a@b, to: [c@d] }
  - { adapter: program, command: [curl, "-H", "token: hunter2"] }
`
    const shown = explainConfiguration(load(text)).find(({ key }) => key === 'notify')?.value
    expect(JSON.stringify(shown)).not.toContain('hunter2')
    expect(shown).toMatchObject([
      { adapter: 'webhook', url: 'https://example.org/[redacted]', token: '[redacted]', timeout_seconds: 10 },
      { adapter: 'slack', url: { env: 'SLACK_URL' } },
      { adapter: 'email', server: 'smtp://mail:25', password: '[redacted]' },
      { adapter: 'program', command: ['curl', '[redacted]'] },
    ])
  })
})
