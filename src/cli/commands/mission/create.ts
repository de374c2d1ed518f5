import { argument, command, value } from '../../declare.ts'
import { json, orgOption } from '../options.ts'
import { collect, dollars, reference, whole } from '../values.ts'

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
    value('--token-budget <n>', 'Maximum number of tokens of all its runs', { parse: whole(1, 1e12) }),
    value('--cost-limit <usd>', 'Maximum cost of all its runs in US dollars', { parse: dollars }),
    value('--assignee <persona>', 'Persona responsible for it: slug or name', { parse: reference }),
    value('--parent <mission>', 'Mission that it is a part of: its id, or its beginning', { parse: reference }),
    value('--deadline <time>', 'ISO time, such as 2030-01-31T12:00:00Z'),
    orgOption(),
    json,
  ],
})
