import { parseArgs } from 'node:util'

import { playAsNobody } from '../support/as-nobody.ts'
import { type AttackResult, faultOf } from './contract.ts'
import { families } from './families/all.ts'

const help = `npm run attacks -- [options]

Plays attacks against boxes, daemons and the proxy of this machine, each with a control that must succeed. As root it
plays them a second time as the user nobody. Exits with 1 if an attack breaks through or a control fails.

  --only <names>  Families, or attacks as family/name or the beginning of it, separated by commas
  --quick         Leave out the long attacks, as CI does
  --as <who>      self or nobody (both, if this is root)
  --verbose       Print every attack`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    as: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}

const isRoot = process.getuid?.() === 0
const args = process.argv.slice(2).filter((each, index, all) => each !== '--as' && all[index - 1] !== '--as')
const nobody = (): number => playAsNobody('test/attacks/main.ts', [...args, '--as', 'self'])
if (values.as === 'nobody') process.exit(nobody())

const wanted = values.only?.split(',') ?? ['']
const isWanted = (family: string, name: string): boolean =>
  wanted.some((each) => (each.includes('/') ? `${family}/${name}`.startsWith(each) : each === '' || each === family))

const results: AttackResult[] = []
const began = performance.now()
for (const family of families) {
  const names = family.attacks
    .filter(({ name, isLong }) => isWanted(family.name, name) && !(values.quick && isLong === true))
    .map(({ name }) => name)
  if (names.length === 0) continue
  const from = results.length
  await family.play(names, (result) => {
    results.push(result)
    print(result)
  })
  const own = results.slice(from)
  const held = own.filter((each) => faultOf(each) === null && each.skipped === undefined).length
  const skipped = own.filter((each) => each.skipped !== undefined).length
  console.log(
    `${family.name}: ${held} of ${own.length} held${skipped > 0 ? `, ${skipped} skipped` : ''} (${family.about})`,
  )
}
if (results.length === 0) {
  console.error(`error: no attack is called "${values.only}"; families: ${families.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const faults = results.filter((each) => faultOf(each) !== null)
const who = isRoot ? 'root' : 'a user without rights'
console.log(
  `${results.length} attacks as ${who}, ${faults.length} faults, in ${Math.round((performance.now() - began) / 1_000)} s`,
)
const others = isRoot && values.as === undefined ? nobody() : 0
process.exit(faults.length > 0 ? 1 : others)

function print(result: AttackResult): void {
  const fault = faultOf(result)
  const title = `${result.family}/${result.name}`
  if (fault !== null) console.log(`✗ ${title}: ${fault}`)
  else if (result.skipped !== undefined) console.log(`- ${title}: skipped, ${result.skipped}`)
  else if (values.verbose) console.log(`✓ ${title} (${Math.round(result.ms)} ms)`)
}
