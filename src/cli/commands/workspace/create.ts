import { command, value } from '../../declare.ts'
import { json, mission } from '../options.ts'

export const workspaceCreateCommand = command({
  name: 'create',
  summary: 'Create the workspace of a mission; prints its directory',
  examples: ['agency workspace create mis_4x --repo .'],
  arguments: [mission],
  options: [
    value('--path <path>', '<category>/[<kind>/]<slug>; a slug in use gets a number'),
    value('--repo <path>', 'Git repository: the workspace is a clone of it'),
    json,
  ],
})
