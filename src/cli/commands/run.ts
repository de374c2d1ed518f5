import { argument, command, flag, value } from '../declare.ts'
import { orgOption } from './options.ts'
import { amount, collect, minutes, whole } from './values.ts'

export const runCommand = command({
  name: 'run',
  summary: 'Start a run towards a goal; prints its id',
  examples: [
    'agency run "Write a haiku about rivers into poem.txt" --runtime scripted --evidence file:poem.txt',
    'agency run "Add a --json flag to the CLI" --repo . --evidence \'command:npm test\'',
  ],
  arguments: [argument('[goal]', 'Goal to achieve, in your own words')],
  options: [
    value(
      '--plan <file>',
      'YAML file with the whole run, or -; --preview only shows it, --trust lets it start programs',
    ),
    flag('--preview', 'With --plan: show its briefs in order and start nothing', { hidden: true }),
    flag('--trust', 'Trust the plan and the team file, and let them start what they name', { hidden: true }),
    value('--playbook <name>', 'Way of working', { choices: ['direct', 'tiered'] }),
    value('--team <file>', 'For tiered: team file; --strict enables every gate'),
    flag('--strict', 'For tiered: enable every gate', { hidden: true }),
    value('--runtime <name>', 'claude-code, llm, program or scripted (simulated); --option name=value configures it'),
    value('--scenario <file>', 'Scenario for a scripted agent: a YAML file or a built-in name'),
    value('--program <command>', 'Program to run as agent, with its arguments; --readable <path> shows it more files'),
    value('--readable <path>', 'File or folder of this machine that the box of the agents shows; repeatable', {
      parse: collect,
      hidden: true,
    }),
    value(
      '--evidence <kind:value>',
      'Proof (tiered: of every task): file:PATH, command:CMD, artifact:PATH, JSON; repeatable',
      { parse: collect },
    ),
    value('--repo <path>', 'Git repository: work in clones ends as a pull request into its branch, or --base <branch>'),
    value('--base <branch>', 'With --repo: branch to start from and merge into; default: the one checked out', {
      hidden: true,
    }),
    value('--setup <command>', 'With --repo: command that makes a fresh checkout runnable, before evidence is checked'),
    value('--protect <glob>', 'With --repo: files that the work may not change; repeatable', {
      parse: collect,
      hidden: true,
    }),
    value('--mode <mode>', 'What an agent may do without asking', { choices: ['yolo', 'cautious', 'plan_only'] }),
    value('--verifier-mode <mode>', 'What a verifier may do; default: plan_only, it only reads', {
      choices: ['yolo', 'cautious', 'plan_only'],
      hidden: true,
    }),
    orgOption(),
    value('--mission <id>', 'Run this mission from the backlog; --priority urgent starts it before other runs'),
    value('--priority <priority>', 'Urgency: briefs of urgent runs start first; default: that of the mission', {
      choices: ['low', 'medium', 'high', 'urgent'],
      hidden: true,
    }),
    value('--verify <what>', 'Work to verify; auto: work without checkable evidence', {
      choices: ['auto', 'all', 'none'],
    }),
    flag('--planner', 'Let an agent write the plan first'),
    flag('--plan-gate', 'Start nothing before you approve the plan'),
    value('--acceptance <by>', 'operator: the result waits for your approval', { choices: ['auto', 'operator'] }),
    value('--on-limit <what>', 'When a brief has used up its retries: ask you, or fail the run', {
      choices: ['ask', 'fail'],
    }),
    value('--tokens <n>', 'Maximum number of tokens of the run', { parse: whole(1) }),
    value('--usd <amount>', 'Maximum cost of the run in US dollars', { parse: amount }),
    // Rarely used, and possible in a plan as well: hidden, so that help stays on one screen.
    value('--option <name=value>', 'Option for the runtime; repeatable', { parse: collect, hidden: true }),
    value('--large-plan <n>', 'Ask before agents start more briefs than this that agents planned', {
      parse: whole(1),
      hidden: true,
    }),
    value('--idle-minutes <n>', 'End an attempt after this long without output; "off": never', {
      parse: minutes,
      hidden: true,
    }),
    value('--hard-minutes <n>', 'Maximum duration of an attempt; "off": no limit', { parse: minutes, hidden: true }),
    flag('--watch', 'Follow the run on stderr; exit 0 when done, 1 when failed'),
    flag('--json', 'Print the whole run as JSON'),
  ],
  check: ([goal], { plan, preview }) => {
    if (plan === undefined && goal === undefined) return "missing argument 'goal', or --plan <file>"
    if (goal?.trim() === '') return 'the goal is empty: describe what the run should achieve'
    if (plan === undefined && preview) return '--preview shows a plan: add --plan <file>'
    return undefined
  },
})
