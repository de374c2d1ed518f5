import { moneyText } from '../../src/kernel/amounts.ts'
import type { BudgetUse } from '../../src/work/questions/facts.contract.ts'

/** Offers amounts to add to a used-up limit, each with the limit that it leads to. */
export function BudgetAmounts({
  budget,
  disabled,
  onSend,
}: {
  budget: BudgetUse
  disabled: boolean
  onSend: (answer: string) => void
}) {
  return amountsOf(budget).map(({ label, limit, answer }) => (
    <button key={answer} type="button" disabled={disabled} onClick={() => onSend(answer)}>
      {label} <span className="muted">to {limit}</span>
    </button>
  ))
}

interface BudgetAmount {
  readonly label: string
  readonly limit: string
  readonly answer: string
}

/** An amount counts from the limit, or from what is spent above it, as the daemon reads the answer. */
export function amountsOf(use: BudgetUse): BudgetAmount[] {
  const [limit, spent] = use.isAboutCost ? [use.costLimitMicros, use.microsSpent] : [use.tokenLimit, use.tokensSpent]
  if (limit === null) return []
  const text = (amount: number): string =>
    use.isAboutCost ? moneyText(amount) : `${amount.toLocaleString('en')} tokens`
  const more = (label: string, amount: number): BudgetAmount => ({
    label,
    limit: text(Math.max(limit, spent) + amount),
    answer: label,
  })
  const added = use.isAboutCost
    ? [more('+$1', 1e6), more('+$5', 5e6)]
    : [more('+10,000 tokens', 10_000), more('+100,000 tokens', 100_000)]
  return [
    ...added,
    { label: 'Double', limit: text(spent >= limit ? Math.max(limit * 2, spent + limit) : limit), answer: 'raise' },
  ]
}
