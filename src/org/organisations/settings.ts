import type { ReadTx } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { organisationSettings, type SettingKey } from './contract.ts'
import { listSettings } from './store.ts'

const oneOf = (...values: string[]) => ({
  expected: `one of ${values.join(', ')}`,
  accepts: (value: string): boolean => values.includes(value),
})
/** No wait is longer than a week of minutes; a larger number is a typing error. */
const whole = (least: number, most = 10_080) => ({
  expected: `a whole number from ${least} to ${most}`,
  accepts: (value: string): boolean =>
    /^(0|[1-9]\d{0,5})$/.test(value) && Number(value) >= least && Number(value) <= most,
})

const rules: Record<SettingKey, { expected: string; accepts: (value: string) => boolean }> = {
  pm_autonomy: oneOf('v1', 'v2', 'v3'),
  autostart: oneOf('true', 'false'),
  governance: oneOf('advise', 'enforce'),
  delegation_rule: oneOf('pre_approved', 'request_approval', 'autonomous'),
  plans: oneOf('by_size', 'always'),
  'handoff.rehydrate': oneOf('ask', 'auto'),
  idle_stop_minutes: whole(0),
  'pm.checkin_minutes': whole(0),
  'escalation.ack_minutes': whole(1),
  'escalation.blocked_minutes': whole(1),
  'escalation.processing_minutes': whole(1),
  'escalation.failures': whole(1, 100),
  'brief.accept_minutes': whole(1),
  'brief.report_minutes': whole(1),
  risk_tolerance: oneOf('conservative', 'moderate', 'aggressive'),
}

export const settingKeys = Object.keys(organisationSettings) as SettingKey[]

export function checkSettingKey(key: string): SettingKey {
  if (Object.hasOwn(organisationSettings, key)) return key as SettingKey
  const guess = nearest(key, settingKeys)
  throw refusal('invalid_input', `unknown setting "${key}"; available: ${settingKeys.join(', ')}`, {
    ...(guess === null ? {} : { hint: `Did you mean "${guess}"?` }),
    data: { keys: settingKeys },
  })
}

export function checkSetting(key: string, value: string): SettingKey {
  const known = checkSettingKey(key)
  if (!rules[known].accepts(value))
    throw refusal('invalid_input', `${known}: must be ${rules[known].expected}, not "${value}"`)
  return known
}

/** Returns the effective value: the organisation's own, or the default. */
export async function settingOf(tx: ReadTx, organisationId: number, key: SettingKey): Promise<string> {
  const own = (await listSettings(tx, organisationId)).find((each) => each.key === key)
  return own?.value ?? organisationSettings[key]
}
