import { argument, command, value } from '../../declare.ts'
import { json } from '../options.ts'
import { collect, whole } from '../values.ts'

export const missionCreateCommand = command({
  name: 'create',
  summary: 'Create a mission in the backlog',
  examples: ['agency mission create "Ship 1.0" --priority high'],
  arguments: [argument('<title>')],
  options: [
    value('--description <text>', 'Description of the mission'),
    value('--priority <priority>', 'Urgency', { choices: ['low', 'medium', 'high', 'urgent'] }),
    value('--acceptance <text>', 'Condition under which the mission counts as done'),
    value('--notes <text>', 'Context for the agents that work on it'),
    value('--tag <tag>', 'Tag; repeatable', { parse: collect }),
    value('--deliverable <what>', 'Expected result; repeatable', { parse: collect }),
    value('--deadline <time>', 'ISO time, such as 2030-01-31T12:00:00Z'),
    value('--org <id>', 'Organisation', { parse: whole(1) }),
    json,
  ],
})
