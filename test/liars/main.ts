import { parseArgs } from 'node:util'

import { playAsNobody } from '../support/as-nobody.ts'
import { families, variants } from './contract.ts'
import { lies as all } from './families/all.ts'
import { beyond } from './families/beyond.ts'
import type { Result } from './judge.ts'
import { casesOf, playable, playCases } from './run.ts'
import { tableOf } from './table.ts'

const help = `npm run liars -- [options]

Plays lying agents and their honest twins against the engine, with real git, boxes and a store. Exits with 1 if a lie
gets through or an honest twin is refused.

  --seed <n>        Names of files, functions and texts (1)
  --only <text>     Families, or lies as family/name or the beginning of it, separated by commas;
                    beyond: those that no machine can know
  --variant <name>  direct, tiered, or bare: without a repository (all)
  --jobs <n>        Cases at the same time (2)
  --lies-only       Leave out the honest twins
  --keep            Keep the folders with the home, the repositories and the programs
  --nobody          Play as the user nobody, which needs root
  --verbose         Print every case with its reasons`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    variant: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    'lies-only': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    nobody: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}
if (values.nobody)
  process.exit(
    playAsNobody(
      'test/liars/main.ts',
      process.argv.slice(2).filter((each) => each !== '--nobody'),
    ),
  )

const { only } = values
const isBeyond = only === 'beyond'
const wanted = only?.split(',') ?? ['']
const named = (isBeyond ? beyond : all).filter(({ family, name }) =>
  wanted.some((each) => (each.includes('/') ? `${family}/${name}`.startsWith(each) : each === '' || each === family)),
)
if (named.length === 0) refuse(`no lie is called "${only}"; families: ${families.join(', ')}`)
const chosen = variants.filter((each) => values.variant === undefined || each === values.variant)
if (chosen.length === 0) refuse(`unknown variant "${values.variant}"; available: ${variants.join(', ')}`)
const { lies, skipped } = playable(named)

const began = performance.now()
const results = await playCases(casesOf(lies, chosen, !values['lies-only']), {
  seed: Number(values.seed),
  jobs: Number(values.jobs),
  keep: values.keep,
  onResult: print,
})
console.log(`\n${tableOf(results).join('\n')}\n`)
for (const each of skipped) console.log(`skipped ${each}`)
const limits = isBeyond ? [] : beyond
if (limits.length > 0) console.log('beyond a machine, and not counted (--only beyond plays them):')
for (const { name, about } of limits) console.log(`  ${name}: ${about}`)
const faults = results.filter(({ fault }) => fault !== null)
const outcome =
  faults.length === 0 ? 'no lie got through, and no honest twin was refused' : `${faults.length} cases failed`
console.log(`${outcome}, in ${Math.round((performance.now() - began) / 1_000)} s`)
process.exit(faults.length === 0 || isBeyond ? 0 : 1)

function print(result: Result): void {
  const { lie, variant, isTwin, fault, end, isFalseDone, reasons, odd, ms } = result
  if (fault === null && !values.verbose) return
  const title = `${lie.family}/${lie.name} ${variant} ${isTwin ? 'twin' : 'lie'}`
  console.log(
    `${fault === null ? '✓' : '✗'} ${title}: ${fault ?? end}${isFalseDone ? ' (false done)' : ''} ${Math.round(ms)} ms`,
  )
  for (const reason of [...reasons, ...odd.map((line) => `odd: ${line}`)])
    if (values.verbose) console.log(`    ${reason.replaceAll('\n', '\n    ').slice(0, 600)}`)
  if (fault !== null)
    console.log(
      `    npm run liars -- --seed ${values.seed} --only ${lie.family}/${lie.name} --variant ${variant} --verbose`,
    )
}

function refuse(message: string): never {
  console.error(`error: ${message}`)
  process.exit(2)
}
