import { useQuery } from '@tanstack/react-query'

import type { RunEstimate } from '../../src/work/composer/contract.ts'
import { counted } from '../text.ts'
import { estimateQuery } from './queries.ts'

/** The time and the cost of completed runs of the same kind; without any, it says so. */
export function EstimateLine({ playbook, runtime }: { playbook: string; runtime: string }) {
  const found = useQuery({ ...estimateQuery(playbook, runtime), enabled: runtime !== '' })
  if (found.data === undefined) return <p className="muted" />
  return <p className="muted">{estimateText(found.data)}</p>
}

export function estimateText({ runs, simulated, minutes, tokens, usd }: RunEstimate): string {
  const kind = simulated ? 'simulated ' : ''
  if (runs === 0) return `No estimate yet: no ${kind}run of this kind has completed here.`
  const parts = [
    minutes === null ? null : range(minutes, minuteText, 'min'),
    usd === null ? null : range(usd, (value) => `$${value.toFixed(2)}`),
    usd === null && tokens !== null ? range(tokens, tokenText, 'tokens') : null,
    usd === null && !simulated ? 'cost unknown: no prices' : null,
  ].filter((part) => part !== null)
  return `Likely ${parts.join(', ')} (from ${counted(runs, `${kind}run`)} here, without waits for you)`
}

function range({ low, high }: { low: number; high: number }, text: (value: number) => string, unit = ''): string {
  const [from, to] = [text(low), text(high)]
  return `${from === to ? to : `${from}–${to}`}${unit === '' ? '' : ` ${unit}`}`
}

const minuteText = (minutes: number): string => (minutes < 1 ? 'under 1' : String(Math.round(minutes)))

const tokenText = (tokens: number): string =>
  tokens < 1_000
    ? String(Math.round(tokens))
    : tokens < 1e6
      ? `${Math.round(tokens / 1_000)}k`
      : `${(tokens / 1e6).toFixed(1)}M`
