import { Option } from 'commander'

import type { ListOptions } from '../../talent/cli.ts'
import type { Form } from '../answers.ts'
import type { Declaring } from './declaring.ts'
import { reference } from './values.ts'

export function declareTalentCommands({ program, offer, command, does }: Declaring): void {
  offer('Organisation:', 'talent', () => {
    const talent = command(program, 'talent', 'Personalities that work is cast with, and the prompts of playbooks')
    command(
      talent,
      'list',
      'Everybody in the pool',
      'agency talent list --tier t4',
      'agency talent list --division testing',
    )
      .addOption(new Option('--tier <tier>', 'Only who works there').choices(['t1', 't2', 't3', 't4', 't5']))
      .option('--division <division>', 'Only of this one')
      .option('--json', 'As JSON')
      .action(does(async (c, options: ListOptions) => (await face()).listTalent(c, options)))
    command(talent, 'show', 'One of them: the five fields and the text', 'agency talent show sre')
      .argument('<name>', 'A name, a file name with or without its division, or a path', reference)
      .option('--json', 'As JSON')
      .action(does(async (c, name: string, options: Form) => (await face()).showTalent(c, name, options)))
    command(talent, 'map', 'Who is cast by tier and domain where a plan names nobody', 'agency talent map')
      .option('--json', 'As JSON')
      .action(does(async (c, options: Form) => (await face()).mapTalent(c, options)))
    command(
      talent,
      'import',
      'Take over the personalities of a folder; tells what was skipped and why',
      'agency talent import ~/agency-agents',
      'agency talent import .claude/agents',
    )
      .argument('<folder>', 'A pool of division folders, or a project that has .claude/agents')
      .option('--json', 'As JSON')
      .action(does(async (c, folder: string, options: Form) => (await face()).importTalent(c, folder, options)))
    command(talent, 'prompts', 'The prompt files of playbooks, and which ones are yours', 'agency talent prompts')
      .option('--json', 'As JSON')
      .action(does(async (c, options: Form) => (await face()).listPrompts(c, options)))
  })
}

const face = () => import('../../talent/cli.ts')
