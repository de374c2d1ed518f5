import { command, flag } from '../../../declare.ts'
import { file, json, slug } from '../../options.ts'

export const orgPersonaSkillCommand = command({
  name: 'skill',
  summary: 'Print skill.md, or replace it',
  examples: ['agency org persona skill --slug developer-con-5 --write --file skill.md'],
  options: [slug, flag('--write', 'Replace it from --file or standard input'), file, json],
})
