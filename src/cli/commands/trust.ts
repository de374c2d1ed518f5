import { argument, command, flag, value } from '../declare.ts'
import { json } from './options.ts'

export const trustCommand = command({
  name: 'trust',
  summary: 'Trust a plan or a team file: list what it starts, and let runs start it',
  examples: ['agency trust plan.yaml', 'agency trust --list', 'agency trust --revoke plan.yaml'],
  arguments: [argument('[file]', 'Plan or team file')],
  options: [
    flag('--preview', 'List what the file starts, and trust nothing'),
    flag('--list', 'List the trusted files'),
    value('--revoke <file>', 'Trust this file no longer: its path, or the hash that --list shows'),
    json,
  ],
  check: ([file], { preview, list, revoke }) => {
    const given = [file, list, revoke].filter((each) => each !== undefined).length
    if (given === 0) return "missing argument 'file', or --list, or --revoke <file>"
    if (given > 1) return 'give either a file, --list or --revoke'
    return preview && file === undefined ? '--preview lists what a file starts: name the file' : undefined
  },
})
