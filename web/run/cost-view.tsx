import { queryOptions, useQuery } from '@tanstack/react-query'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { type ModelCost, type Spend, spendOperations } from '../../src/work/spends/contract.ts'
import { ApiError } from '../../src/operations/problem.ts'
import { call } from '../client.ts'
import { useSecond } from '../clock.ts'
import { Columns } from '../parts/columns.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { type Inspection, keys } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { Cost, isUnpriced } from '../runs/cost.tsx'
import { clockTime, counted, figure, money, tokens } from '../text.ts'
import { costOf, type Measure, spendingOf, tokensOf } from './spending.ts'

const spendsQuery = (runId: string) =>
  queryOptions({
    queryKey: [...keys.run(runId), 'spends'],
    queryFn: async ({ signal }) => {
      const [{ spends }, summary] = await Promise.all([
        call(spendOperations.list, { runId, limit: 1_000 }, signal),
        call(spendOperations.summary, { runId }, signal),
      ])
      return { spends, models: summary.models }
    },
  })

/** Shows the cost of a run over time against its limit, by model and by brief. */
export function CostView({ inspection }: { inspection: Inspection }) {
  const { run, briefs } = inspection
  const spent = useQuery(spendsQuery(run.id))
  return (
    <div className="cost scrolls" tabIndex={0} role="region" aria-label="Cost">
      <p className="facts view-bar">
        <b>
          <Cost run={run} limit={run.configuration.costLimit} />
        </b>
        <span className="figure">
          {figure(run.inputTokens)} in, {figure(run.outputTokens)} out tokens
          {run.configuration.tokenBudget !== null && ` of ${figure(run.configuration.tokenBudget)}`}
        </span>
      </p>
      {spent.isPending && <Skeleton lines={6} label="the model calls" />}
      {spent.isError && !isUnknown(spent.error) && (
        <Failure error={spent.error} retry={() => void spent.refetch()} name="The model calls" />
      )}
      {spent.data !== undefined && spent.data.spends.length === 0 && <p className="none muted">No model calls yet.</p>}
      {spent.data !== undefined && spent.data.spends.length > 0 && (
        <>
          <Plot run={run} spends={spent.data.spends} />
          <Models models={spent.data.models} />
        </>
      )}
      <Briefs briefs={briefs} priced={!isUnpriced(run)} />
    </div>
  )
}

/** A daemon without a ledger of model calls answers 404; then the section is left out. */
const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.status === 404

const [width, height, left, bottom] = [720, 180, 72, 20]

function Plot({ run, spends }: { run: Run; spends: readonly Spend[] }) {
  const now = useSecond()
  // A flat line at $0.00 would show nothing: without any price the plot is about tokens.
  const unit = isUnpriced(run) ? tokenUnit(run) : moneyUnit(run)
  const { limit, total, text } = unit
  const { points, most, before } = spendingOf(spends, unit.measure, total, limit)
  const begin = Date.parse(run.startedAt)
  const end = Math.max(run.endedAt === null ? now : Date.parse(run.endedAt), points.at(-1)?.at ?? begin, begin + 1)
  const x = (at: number): number => left + ((Math.max(at, begin) - begin) / (end - begin)) * (width - left - 8)
  const y = (amount: number): number => height - bottom - (amount / (most * 1.1)) * (height - bottom - 8)
  const line =
    points.reduce((path, point) => `${path}H${x(point.at)}V${y(point.total)}`, `M${x(begin)} ${y(before)}`) +
    `H${x(end)}`
  return (
    <figure className="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${unit.name} over time: ${text(total)}${limit === null ? '' : ` of ${text(limit)}`}${run.simulated ? ', simulated' : ''}`}
      >
        <path className="grid" d={`M${left} ${y(0)}H${width - 8}`} />
        <text x={left - 8} y={y(0) + 4} className="end">
          {text(0)}
        </text>
        {total > 0 && (
          <>
            <path className="grid faint" d={`M${left} ${y(total)}H${width - 8}`} />
            <text x={left - 8} y={y(total) + 4} className="end">
              {text(total)}
            </text>
          </>
        )}
        {limit !== null && (
          <>
            <path className="limit" d={`M${left} ${y(limit)}H${width - 8}`} />
            <text x={width - 8} y={y(limit) - 4} className="end">
              limit {text(limit)}
            </text>
          </>
        )}
        <path className="spent" d={line} />
        <text x={left} y={height - 4}>
          {clockTime(begin)}
        </text>
        <text x={width - 8} y={height - 4} className="end">
          {run.endedAt === null ? 'now' : clockTime(end)}
        </text>
      </svg>
    </figure>
  )
}

interface Unit {
  name: string
  measure: Measure
  total: number
  limit: number | null
  text: (amount: number) => string
}

const moneyUnit = (run: Run): Unit => ({
  name: 'Cost',
  measure: costOf,
  total: run.costMicros,
  limit: run.configuration.costLimit === null ? null : run.configuration.costLimit * 1_000_000,
  text: money,
})

const tokenUnit = (run: Run): Unit => ({
  name: 'Tokens',
  measure: tokensOf,
  total: run.inputTokens + run.outputTokens,
  limit: run.configuration.tokenBudget,
  text: (amount) => tokens(amount).replace(/ tokens?$/, ''),
})

function Models({ models }: { models: readonly ModelCost[] }) {
  return (
    <table>
      <Columns
        of={{ Model: '', Calls: 'figure', 'Tokens in': 'figure wide', 'Tokens out': 'figure wide', Cost: 'figure' }}
      />
      <tbody>
        {models.map((model) => (
          <tr key={`${model.provider} ${model.model} ${model.simulated} ${model.claimed}`}>
            <td>
              {model.model === null ? <span className="muted">unnamed model</span> : <code>{model.model}</code>}
              {model.simulated && <span className="muted"> (simulated)</span>}
              {model.claimed && <span className="muted"> (claimed)</span>}
            </td>
            <td className="figure">{figure(model.calls)}</td>
            <td className="figure wide">{figure(model.inputTokens)}</td>
            <td className="figure wide">{figure(model.outputTokens)}</td>
            <td className="figure">
              {model.unpricedCalls === model.calls ? null : money(model.costMicros)}
              {model.unpricedCalls > 0 && (
                <span className="muted">
                  {' '}
                  {model.unpricedCalls === model.calls
                    ? 'unpriced'
                    : `+ ${counted(model.unpricedCalls, 'call')} unpriced`}
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const maxBriefs = 50

/** Lists the briefs by cost, most expensive first. */
function Briefs({ briefs, priced }: { briefs: readonly HeldBrief[]; priced: boolean }) {
  const used = briefs
    .filter((brief) => brief.tokensUsed > 0 || brief.costMicros > 0)
    .toSorted((a, b) => b.costMicros - a.costMicros || b.tokensUsed - a.tokensUsed)
  if (used.length === 0) return null
  return (
    <table>
      <Columns of={{ Brief: '', Attempts: 'figure', Tokens: 'figure', Cost: 'figure' }} />
      <tbody>
        {used.slice(0, maxBriefs).map((brief) => (
          <tr key={brief.id}>
            <td>
              <Link to={addresses.brief(brief.runId, brief.id)}>{brief.title}</Link>
            </td>
            <td className="figure">{brief.attempts}</td>
            <td className="figure">
              {figure(brief.tokensUsed)}
              {brief.tokenBudget !== null && ` of ${figure(brief.tokenBudget)}`}
            </td>
            <td className="figure">
              {priced ? money(brief.costMicros) : <span className="muted">unpriced</span>}
              {brief.costLimitMicros !== null && ` ${priced ? 'of' : 'limit'} ${money(brief.costLimitMicros)}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
