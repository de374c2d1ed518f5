import type { Fault } from '../../documents/contract.ts'
import { createFault, didYouMean, maxFaults, sortFaults } from '../../documents/faults.ts'
import { type Finding, findingsOf } from '../../documents/issues.ts'
import { parseValue } from '../../documents/values.ts'
import { shorten, snakeCase } from '../../kernel/text.ts'
import { fromWire } from '../../operations/wire.ts'
import { TemplateDocument } from './contract.ts'

export interface ReadTemplate {
  /** Null when the text cannot be read as a template. */
  readonly template: TemplateDocument | null
  readonly faults: readonly Fault[]
}

export function readTemplate(text: string): ReadTemplate {
  const source = parseValue(text, 'template')
  if (source.faults.length > 0) return { template: null, faults: source.faults }
  const { value } = source
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return broken([createFault('a template must be a list of "key: value"', source.locationOf([]), null)])
  const input = fromWire(TemplateDocument, value)
  const parsed = TemplateDocument.safeParse(input)
  if (parsed.success) return { template: parsed.data, faults: [] }
  const issues = parsed.error.issues.slice(0, maxFaults)
  return broken(sortFaults(issues.flatMap((issue) => findingsOf(issue, input, source)).map(faultOf)))
}

const broken = (faults: readonly Fault[]): ReadTemplate => ({ template: null, faults })

function faultOf(finding: Finding): Fault {
  const field = finding.path.map((part) => snakeCase(String(part))).join('.')
  if (finding.kind === 'wrong_value')
    return createFault(shorten(`${field}${field === '' ? '' : ' '}${finding.message}`, 400), finding.location, null)
  const { key, spelling, location } = finding
  const guess =
    field === '' && key.length <= 60 ? didYouMean(key, Object.keys(TemplateDocument.shape).map(snakeCase)) : ''
  const hint = spelling === null ? guess : `; write "${spelling}"`
  return createFault(`${field === '' ? 'a template' : field} has no "${shorten(key, 60)}"${hint}`, location, null)
}
