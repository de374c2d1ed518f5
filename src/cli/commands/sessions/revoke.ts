import { argument, command, flag } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const sessionsRevokeCommand = command({
  name: 'revoke',
  summary: 'Sign a browser out, or all of them',
  examples: ['agency sessions revoke ses_7k2', 'agency sessions revoke --all'],
  arguments: [argument('[session]', 'Session id', { parse: reference })],
  options: [flag('--all', 'Sign every browser out'), json],
  check: ([session], { all }) =>
    (session === undefined) === (all === undefined)
      ? 'name a session, or use --all to sign every browser out'
      : undefined,
})
