import { command, flag, optionalValue } from '../../../declare.ts'
import { file, json, slug } from '../../options.ts'

export const orgPersonaExperienceCommand = command({
  name: 'experience',
  summary: 'Print experience.md, append to it or replace it',
  examples: ['agency org persona experience --slug developer-con-5 --append "Migrations need a lock"'],
  options: [
    slug,
    optionalValue('--append [text]', 'Append this text, or the content of --file or standard input'),
    flag('--write', 'Replace it from --file or standard input'),
    file,
    json,
  ],
})
