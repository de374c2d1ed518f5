import { nothingFound } from '../../../src/engine/outcome/view.ts'
import type {
  Decision,
  Found,
  Needs,
  NewBrief,
  PartChange,
  Seen,
  Told,
  PlaybookEvent,
  View,
} from '../../../src/playbooks/contract.ts'
import { tiered } from '../../../src/playbooks/tiered/decide.ts'
import { settingsOf } from '../../../src/playbooks/tiered/base-settings.ts'
import type { Amendment } from '../../../src/work/amendments/contract.ts'
import type { Brief } from '../../../src/work/briefs/contract.ts'
import { type BriefStatus, checkMove, endStatuses, isMet, liveStatuses } from '../../../src/work/briefs/states.ts'
import type { GateRow } from '../../../src/work/gates/contract.ts'
import type { Part, Tally } from '../../../src/work/parts/contract.ts'
import type { QuestionClass } from '../../../src/work/questions/contract.ts'
import type { PastRun, Run } from '../../../src/work/runs/contract.ts'
import type { Judgement, Verdict } from '../../../src/work/verdicts/contract.ts'
import { aBrief, aRun } from '../work.ts'

/** How an attempt ends. */
export type Ending =
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'done' }
  | { readonly kind: 'verdict'; readonly judgement: Partial<Judgement> & Pick<Judgement, 'verdict'> }
  | { readonly kind: 'bad'; readonly detail: string }
  | { readonly kind: 'blocked'; readonly reason: string; readonly class?: QuestionClass }
  | { readonly kind: 'crash' }
  | { readonly kind: 'partial' }

export interface Line {
  readonly kind: string
  readonly tier: string
  readonly code: string
  readonly message: string
  readonly level: string
  readonly data: Readonly<Record<string, unknown>>
  readonly brief: string | null
}

export interface Question {
  readonly brief: string | null
  readonly class: QuestionClass
  readonly text: string
}

const at = '2030-01-01T00:00:00.000Z'

/** The engine in miniature: rows in memory, decisions applied in their order, every move checked against the real table. */
export class Play {
  run: Run
  readonly parts = new Map<string, Part>()
  readonly briefs = new Map<string, Brief>()
  readonly edges: { briefId: string; afterId: string; met: boolean }[] = []
  readonly documents = new Map<string, unknown[]>()
  readonly verdicts = new Map<string, Verdict>()
  readonly gates: GateRow[] = []
  readonly questions: Question[] = []
  readonly timers: { name: string; part: string; minutes: number }[] = []
  readonly lines: Line[] = []
  readonly amendments: Amendment[] = []
  readonly acknowledged: string[] = []
  readonly released = new Map<string, number>()
  /** Parts whose merge fails once, and with which files. */
  readonly conflicting = new Map<string, string[]>()
  history: readonly PastRun[] = []
  unknownPersonalities: readonly string[] = []
  /** How deep decisions lead to decisions; a circle would never end. */
  private depth = 0
  private count = 0

  constructor(run: Partial<Run> = {}) {
    this.run = aRun({ id: 'run_1', playbook: 'tiered', briefsTotal: 0, briefsOpen: 0, ...run })
  }

  start(): this {
    this.decide({ kind: 'run_started', briefs: [] })
    return this
  }

  // What can be asked of it

  brief(key: string): Brief {
    const found = this.find(key)
    if (found === undefined)
      throw new Error(`no brief ${key}; there are ${[...this.briefs.values()].map((each) => each.key).join(', ')}`)
    return found
  }

  find = (key: string): Brief | undefined => [...this.briefs.values()].find((each) => each.key === key)

  of = (phase: string): Brief[] => [...this.briefs.values()].filter((each) => each.phase === phase)

  document = (name: string): unknown => this.documents.get(name)?.at(-1)

  live = (): Brief[] => [...this.briefs.values()].filter(({ status }) => liveStatuses.includes(status))

  pendingGates = (): GateRow[] => this.gates.filter(({ status }) => status === 'pending')

  runnable(): Brief[] {
    if (this.run.endedAt !== null || this.run.status === 'paused' || this.run.status === 'gated') return []
    return [...this.briefs.values()].filter(
      ({ status, unmetDependencies, phase }) =>
        status === 'pending' && unmetDependencies === 0 && (this.run.briefsFailed === 0 || phase === 'resolve'),
    )
  }

  // What happens to it

  launch(brief: Brief): Brief {
    const attempts = brief.attempts + 1
    this.move(brief, 'assigned', { attempts, attemptId: `att_${brief.id}_${attempts}` })
    return this.move(this.fresh(brief), 'working')
  }

  end(stale: Brief, ending: Ending): void {
    const brief = this.fresh(stale)
    if (!liveStatuses.includes(brief.status)) return
    const failedBefore = this.run.briefsFailed
    this.ended(brief, ending)
    if (this.run.endedAt !== null || failedBefore === 0 || this.run.briefsFailed === 0) return
    if (this.live().length === 0) this.decide({ kind: 'siblings_ended' })
  }

  private ended(brief: Brief, ending: Ending): void {
    switch (ending.kind) {
      case 'output':
        return this.reported(brief, ending.output)
      case 'done':
        return this.readied(brief, {})
      case 'verdict':
        return this.judged(brief, ending.judgement)
      case 'bad':
        return this.retryWith(brief, ending.detail, [{ evidence: 'the output', detail: ending.detail }])
      case 'blocked':
        return brief.kind === 'verify'
          ? this.giveUpVerifier(brief, ending.reason)
          : this.block(brief, ending.class ?? 'asked', ending.reason)
      case 'crash':
        return this.crashed(brief)
      case 'partial':
        this.split(brief)
        return this.readied(this.fresh(brief), {})
    }
  }

  private reported(brief: Brief, output: unknown): void {
    const parsed = tiered.outputs?.[brief.phase as string]?.safeParse(output)
    if (parsed === undefined) return this.readied(brief, {})
    const faults = parsed.success
      ? (tiered.faults?.(this.view({ kind: 'brief_reported', brief, output: parsed.data }), brief, parsed.data) ?? [])
      : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    if (faults.length > 0)
      return this.retryWith(
        brief,
        faults[0] as string,
        faults.map((detail) => ({ evidence: 'the output', detail })),
      )
    this.readied(brief, { output: parsed.data })
  }

  private readied(brief: Brief, report: { output?: unknown }): void {
    const ready = this.move(brief, 'ready_for_verification')
    if (settingsOf(this.run).pipelineRequires === 'completed') this.meet(ready)
    const seen: Seen = {
      report: { status: 'done', summary: 'Done.', outputs: [], ...report },
      findings: [],
      outputs: [],
    }
    this.decide({ kind: 'brief_ready', brief: this.fresh(ready), seen })
  }

  private judged(verifier: Brief, given: Partial<Judgement> & Pick<Judgement, 'verdict'>): void {
    const judgement: Judgement = { checked: ['it'], missingEvidence: [], issues: [], notes: '', ...given }
    this.move(verifier, 'ready_for_verification')
    this.move(this.fresh(verifier), 'verified')
    this.move(this.fresh(verifier), 'done')
    const brief = this.briefs.get(verifier.verifies as string) as Brief
    if (brief.status !== 'ready_for_verification' || brief.attempts !== verifier.verifiesAttempt) return
    this.verdicts.set(brief.id, {
      id: `vrd_${++this.count}`,
      runId: this.run.id,
      briefId: brief.id,
      scope: 'brief',
      attempt: brief.attempts,
      doerId: 1,
      doerPersonaId: 1,
      verifierId: 2,
      verifierPersonaId: 2,
      verifierBriefId: verifier.id,
      ...judgement,
      at,
    })
    this.decide({ kind: 'brief_judged', brief, judgement })
  }

  private retryWith(brief: Brief, detail: string, corrections: Brief['corrections']): void {
    if (brief.retriesUsed >= brief.retryBudget) {
      if (brief.kind === 'verify') return this.giveUpVerifier(brief, detail)
      return this.block(brief, 'bad_output', `${detail} (after ${brief.retriesUsed} of ${brief.retryBudget} retries)`)
    }
    this.move(brief, 'pending', { retriesUsed: brief.retriesUsed + 1, corrections })
    this.line({
      tier: 'T',
      code: 'FAIL',
      message: `${brief.label} ✗ ${detail} (retry ${brief.retriesUsed + 1}/${brief.retryBudget})`,
      brief,
    })
  }

  private crashed(brief: Brief): void {
    if (brief.crashRetries < brief.crashLimit)
      return void this.move(brief, 'pending', { crashRetries: brief.crashRetries + 1 })
    if (brief.kind === 'verify') return this.giveUpVerifier(brief, 'it crashed')
    this.fail(brief, 'it crashed')
  }

  private fail(brief: Brief, failure: string): void {
    const failed = this.move(brief, 'failed', { failure })
    this.decide({ kind: 'brief_failed', brief: failed })
  }

  private giveUpVerifier(verifier: Brief, reason: string): void {
    this.move(verifier, 'failed', { failure: reason })
    const brief = this.briefs.get(verifier.verifies as string) as Brief
    if (brief.status === 'ready_for_verification' && brief.attempts === verifier.verifiesAttempt)
      this.decide({ kind: 'brief_unjudged', brief, reason: `nobody could verify it: ${reason}` })
  }

  private block(brief: Brief, cause: QuestionClass, reason: string): void {
    const blocked = this.move(brief, 'blocked')
    this.decide({ kind: 'brief_blocked', brief: blocked, class: cause, reason })
  }

  private split(brief: Brief): void {
    const rest = this.insert({
      ...brief,
      key: `${brief.key}:rest:${brief.attempts}`,
      status: 'pending',
      attempts: 0,
      attemptId: null,
      remainderOf: brief.id,
      unmetDependencies: 1,
    })
    this.edges.push({ briefId: rest.id, afterId: brief.id, met: false })
    for (const edge of this.edges.filter(({ afterId }) => afterId === brief.id && afterId !== rest.id)) {
      const waiting = this.briefs.get(edge.briefId) as Brief
      if (waiting.id === rest.id || waiting.status !== 'pending') continue
      this.edges.push({ briefId: waiting.id, afterId: rest.id, met: false })
      this.set(waiting, { unmetDependencies: waiting.unmetDependencies + 1 })
    }
  }

  approve(gate: string): void {
    const row = this.decided(gate, 'approved')
    this.decide({ kind: 'gate_approved', gate: row })
    this.goOn()
  }

  reject(gate: string, reason: string): void {
    const row = this.decided(gate, 'rejected')
    this.decide({ kind: 'gate_rejected', gate: { ...row, reason }, reason })
    this.goOn()
  }

  private goOn(): void {
    if (this.run.status === 'running') this.decide({ kind: 'run_resumed' })
  }

  private decided(name: string, status: 'approved' | 'rejected'): GateRow {
    const index = this.gates.findIndex((gate) => gate.gate === name && gate.status === 'pending')
    if (index < 0)
      throw new Error(
        `no pending gate ${name}; there are ${this.pendingGates()
          .map(({ gate }) => gate)
          .join(', ')}`,
      )
    const row: GateRow = { ...(this.gates[index] as GateRow), status, by: 'operator' }
    this.gates[index] = row
    this.line({
      kind: `gate_${status}`,
      tier: 'GATE',
      code: status.toUpperCase(),
      message: status === 'approved' ? '✓ Approved — continuing' : '✗ Rejected',
    })
    this.settle()
    return row
  }

  private settle(): void {
    const halting = this.pendingGates().filter(({ approver }) => approver === 'operator')
    const asked = this.questions.some(({ brief }) => brief === null)
    this.run = {
      ...this.run,
      gatesPending: this.pendingGates().length,
      status: asked ? 'paused' : halting.length > 0 ? 'gated' : 'running',
    }
  }

  answer(question: Question, key: 'retry' | 'abandon'): void {
    this.questions.splice(this.questions.indexOf(question), 1)
    this.settle()
    if (question.brief === null) {
      if (key === 'abandon') return this.finish('failed', 'the operator gave up')
      return this.goOn()
    }
    const brief = this.briefs.get(question.brief) as Brief
    if (brief.status !== 'blocked' && brief.status !== 'failed') return
    if (key === 'retry') return void this.unblock(brief, question.class, {})
    this.run = { ...this.run, abandoned: true }
    if (brief.status === 'blocked') return this.fail(brief, 'given up')
    this.decide({ kind: 'siblings_ended' })
  }

  fire(timer: { name: string; part: string }): void {
    this.timers.splice(this.timers.indexOf(timer as never), 1)
    this.decide({ kind: 'timer', name: timer.name, part: timer.part })
  }

  cancel(brief: Brief): void {
    const cancelled = this.move(this.fresh(brief), 'cancelled')
    for (let index = this.questions.length - 1; index >= 0; index--)
      if (this.questions[index]?.brief === brief.id) this.questions.splice(index, 1)
    this.decide({ kind: 'brief_cancelled', brief: cancelled })
  }

  amend(amendment: Omit<Amendment, 'id' | 'runId' | 'kind' | 'acknowledgedBy' | 'at'>): void {
    const row: Amendment = {
      id: `amd_${++this.count}`,
      runId: this.run.id,
      kind: 'path',
      acknowledgedBy: null,
      at,
      ...amendment,
    }
    this.amendments.push(row)
    this.decide({ kind: 'amended', amendment: row })
  }

  mergeFailed = (reason: string): void => this.decide({ kind: 'merge_failed', reason })

  // Deciding and applying

  decide(event: PlaybookEvent): void {
    if (this.run.endedAt !== null) return
    if (++this.depth > 2_000) throw new Error(`decisions go round in circles at ${event.kind}`)
    for (const decision of tiered.decide(this.view(event), event)) {
      if (this.run.endedAt !== null) break
      this.apply(decision)
    }
    this.depth--
  }

  private apply(decision: Decision): void {
    switch (decision.kind) {
      case 'add_briefs':
        return this.add(decision.briefs)
      case 'verify_briefs':
        this.line(decision.event)
        for (const brief of decision.briefs) this.commission(brief)
        return
      case 'pass_brief': {
        const verified = this.move(this.fresh(decision.brief), 'verified')
        this.meet(verified)
        return this.decide({ kind: 'brief_verified', brief: verified })
      }
      case 'rework_brief': {
        const brief = this.fresh(decision.brief)
        if (decision.counter !== 'retries') throw new Error('a slice is retried, not verified again')
        this.move(brief, 'pending', { retriesUsed: brief.retriesUsed + 1, corrections: [...decision.corrections] })
        this.line({
          tier: 'T4',
          code: 'FAIL',
          message: `${brief.label} ✗ (retry ${brief.retriesUsed + 1}/${brief.retryBudget})`,
          brief,
        })
        return this.unmeet(brief)
      }
      case 'send_back': {
        const brief = this.fresh(decision.brief)
        this.move(brief, 'pending', {
          ...(decision.class === 'rejected' ? { rejectionReason: decision.reason } : {}),
          inputs: { ...brief.inputs, ...decision.inputs },
          ...(decision.corrections === undefined ? {} : { corrections: [...decision.corrections] }),
        })
        this.recount(brief.id)
        return this.unmeet(brief)
      }
      case 'resolve_brief': {
        const brief = this.fresh(decision.brief)
        const { guidance } = decision
        return void this.unblock(brief, decision.class, {
          escalations: brief.escalations + 1,
          ...(guidance === null ? {} : { guidance: [...brief.guidance, guidance] }),
        })
      }
      case 'block_brief':
        return this.block(this.fresh(decision.brief), decision.class, decision.reason)
      case 'ask':
        return void this.questions.push({ brief: decision.brief.id, class: decision.class, text: decision.reason })
      case 'cancel_briefs':
        for (const each of decision.briefs) this.supersede(each)
        return
      case 'revise_draft': {
        const brief = this.fresh(decision.brief)
        if (brief.status !== 'draft') throw new Error(`${brief.key} is ${brief.status}, no draft`)
        const { title, objective, files, flow, after } = decision.draft
        this.set(brief, { title, objective, files: [...(files ?? [])], flow: flow ?? null })
        return this.waitFor(brief, after ?? [])
      }
      case 'amend_brief': {
        const brief = this.fresh(decision.brief)
        if (brief.attempts > 0 && brief.status !== 'pending') throw new Error(`${brief.key} has begun`)
        this.set(brief, { inputs: { ...brief.inputs, ...decision.inputs } })
        return decision.after === undefined ? undefined : this.waitFor(brief, decision.after)
      }
      case 'commit_drafts':
        for (const brief of decision.briefs) this.move(this.fresh(brief), 'committed')
        return
      case 'reopen_drafts':
        for (const brief of decision.briefs) this.move(this.fresh(brief), 'draft')
        return
      case 'release_drafts':
        this.line(decision.event)
        for (const brief of decision.briefs) {
          if (this.fresh(brief).status !== 'committed') throw new Error(`${brief.key} was released and not committed`)
          this.released.set(brief.id, this.lines.length)
          this.move(this.fresh(brief), 'pending')
        }
        return
      case 'tell':
        this.line(decision.event)
        for (const change of decision.parts ?? []) this.change(change)
        return
      case 'write_document':
        if (decision.brief.attemptId === null) throw new Error(`${decision.brief.key} was never launched and writes`)
        this.documents.set(decision.name, [...(this.documents.get(decision.name) ?? []), json(decision.content)])
        return
      case 'open_gate':
        return this.openGate(decision)
      case 'pass_gate': {
        const index = this.gates.findIndex(
          ({ gate, boundary, status }) =>
            gate === decision.gate && boundary === `part:${decision.part}` && status === 'pending',
        )
        if (index < 0) throw new Error(`nothing to pass at ${decision.gate} of ${decision.part}`)
        this.gates[index] = { ...(this.gates[index] as GateRow), status: 'approved', by: decision.by }
        return this.settle()
      }
      case 'start_timer':
        return void this.timers.push({ name: decision.name, part: decision.part, minutes: decision.minutes })
      case 'merge_part': {
        const files = this.conflicting.get(decision.part)
        this.conflicting.delete(decision.part)
        return this.decide(
          files === undefined
            ? { kind: 'part_merged', part: decision.part }
            : { kind: 'part_conflict', part: decision.part, files },
        )
      }
      case 'pause_and_ask':
        this.questions.push({ brief: null, class: 'gate', text: decision.text })
        return this.settle()
      case 'acknowledge':
        return void this.acknowledged.push(decision.by)
      case 'land':
        return this.finish('done', 'merged')
      case 'end_run':
        return this.finish(decision.status, decision.summary)
      default:
        throw new Error(`a tiered run does not decide ${decision.kind}`)
    }
  }

  private openGate({
    gate,
    summary,
    part,
    approver = 'operator',
    message,
    timeoutMinutes = null,
  }: Extract<Decision, { kind: 'open_gate' }>): void {
    const boundary = part === undefined ? 'run' : `part:${part}`
    if (this.pendingGates().some((each) => each.gate === gate && each.boundary === boundary))
      throw new Error(`${gate} of ${boundary} is open already`)
    this.gates.push({
      id: `gat_${++this.count}`,
      runId: this.run.id,
      gate,
      approver,
      boundary,
      summary,
      pendingSince: at,
      timeoutMinutes,
      status: 'pending',
      note: null,
      reason: null,
      by: null,
      approvalsNeeded: 1,
      approvals: [],
      rejections: 0,
      decidedAt: null,
    })
    this.line({
      kind: 'gate_pending',
      tier: 'GATE',
      code: gate === 't1_plan' || gate === 'merge' ? 'APPROVAL' : 'INSPECTION',
      message: message ?? `⏸ ${gate}`,
    })
    this.settle()
  }

  private finish(status: 'done' | 'failed' | 'cancelled', summary: string): void {
    this.run = { ...this.run, status, summary, endedAt: at, gatesPending: 0 }
    this.questions.length = 0
    this.timers.length = 0
    this.line({ tier: 'T1', code: 'END', message: `${status}: ${summary}` })
  }

  private unblock(brief: Brief, cause: QuestionClass, patch: Partial<Brief>): Brief {
    const resets: Partial<Record<QuestionClass, Partial<Brief>>> = {
      bad_output: { retriesUsed: 0 },
      verification: { verificationFailures: 0 },
      crash: { crashRetries: 0 },
    }
    return this.move(brief, 'pending', { ...resets[cause], ...patch, failure: null })
  }

  private supersede(stale: Brief): void {
    const brief = this.fresh(stale)
    if (brief.status === 'done' || brief.status === 'cancelled') return
    for (const verifier of [...this.briefs.values()].filter(({ verifies }) => verifies === brief.id))
      if (!endStatuses.includes(verifier.status)) this.move(verifier, 'cancelled')
    this.move(brief, 'cancelled')
    for (let index = this.questions.length - 1; index >= 0; index--)
      if (this.questions[index]?.brief === brief.id) this.questions.splice(index, 1)
    this.settle()
  }

  private commission(stale: Brief): void {
    const judged = this.fresh(stale)
    if (judged.status !== 'ready_for_verification')
      throw new Error(`${judged.key} is ${judged.status}, nothing to verify`)
    this.insert(
      aBrief({
        kind: 'verify',
        key: `verify:${judged.key}:${judged.attempts}`,
        title: `Verify ${judged.title}`,
        tier: 't5',
        phase: 't5',
        part: judged.part,
        workstream: judged.workstream,
        ownerId: judged.ownerId,
        verifies: judged.id,
        verifiesAttempt: judged.attempts,
        label: `verifier ${judged.label}`,
      }),
    )
  }

  private add(specs: readonly NewBrief[]): void {
    const ids = new Map<string, string>()
    for (const spec of specs) {
      const { after: _after, domain: _domain, ...fields } = spec
      if (!this.parts.has(spec.part)) throw new Error(`${spec.key} belongs to "${spec.part}", which is not there`)
      const brief = this.insert(
        aBrief({
          ...(json(fields) as Partial<Brief>),
          verify: spec.kind === 'work' ? 'agent' : 'none',
          status: spec.status ?? 'pending',
          number: this.briefs.size + 1,
        }),
      )
      ids.set(spec.key, brief.id)
    }
    for (const spec of specs) this.waitFor(this.briefs.get(ids.get(spec.key) as string) as Brief, spec.after ?? [])
  }

  private waitFor(brief: Brief, keys: readonly string[]): void {
    for (let index = this.edges.length - 1; index >= 0; index--)
      if (this.edges[index]?.briefId === brief.id) this.edges.splice(index, 1)
    for (const key of new Set(keys)) this.edges.push({ briefId: brief.id, afterId: this.brief(key).id, met: false })
    this.recount(brief.id)
  }

  private recount(id: string): void {
    let unmet = 0
    for (const edge of this.edges.filter(({ briefId }) => briefId === id)) {
      const before = this.briefs.get(edge.afterId) as Brief
      edge.met = before.status === 'cancelled' || isMet(before.status, settingsOf(this.run).pipelineRequires)
      if (!edge.met) unmet++
    }
    this.set(this.briefs.get(id) as Brief, { unmetDependencies: unmet })
  }

  private meet(brief: Brief): void {
    for (const { briefId } of this.edges.filter(({ afterId }) => afterId === brief.id)) this.recount(briefId)
  }

  private unmeet(brief: Brief): void {
    for (const { briefId } of this.edges.filter(({ afterId }) => afterId === brief.id))
      if (this.briefs.get(briefId)?.status === 'pending') this.recount(briefId)
  }

  private insert(brief: Brief): Brief {
    if (this.find(brief.key) !== undefined) throw new Error(`two briefs are called ${brief.key}`)
    const row = { ...brief, id: `brf_${++this.count}` }
    this.briefs.set(row.id, row)
    this.tallyRun(row, null, row.status)
    return row
  }

  private fresh = ({ id }: Brief): Brief => this.briefs.get(id) as Brief

  private set(brief: Brief, patch: Partial<Brief>): Brief {
    const row = { ...this.fresh(brief), ...(json(patch) as Partial<Brief>) }
    this.briefs.set(row.id, row)
    return row
  }

  private move(brief: Brief, to: BriefStatus, patch: Partial<Brief> = {}): Brief {
    try {
      checkMove(brief.status, to)
    } catch (error) {
      throw new Error(`${brief.key}: ${String(error)}`, { cause: error })
    }
    this.tallyRun(brief, brief.status, to)
    return this.set(brief, { ...patch, status: to })
  }

  private tallyRun(brief: Brief, from: BriefStatus | null, to: BriefStatus): void {
    if (brief.kind === 'verify') return
    const open = (status: BriefStatus | null): number => (status === null || endStatuses.includes(status) ? 0 : 1)
    const is = (status: BriefStatus | null, wanted: BriefStatus): number => (status === wanted ? 1 : 0)
    this.run = {
      ...this.run,
      briefsTotal: this.run.briefsTotal + (from === null ? 1 : 0),
      briefsOpen: this.run.briefsOpen + open(to) - open(from),
      briefsVerified: this.run.briefsVerified + is(to, 'verified') - is(from, 'verified'),
      briefsDone: this.run.briefsDone + is(to, 'done') - is(from, 'done'),
      briefsFailed: this.run.briefsFailed + is(to, 'failed') - is(from, 'failed'),
    }
  }

  private change({ key, parent, status, data }: PartChange): void {
    const known = this.parts.get(key)
    const row: Part = known ?? {
      runId: this.run.id,
      key,
      parent: parent ?? null,
      status: status ?? 'open',
      data: {},
      head: null,
      heldBy: null,
      createdAt: at,
      updatedAt: at,
    }
    this.parts.set(key, {
      ...row,
      ...(parent === undefined ? {} : { parent }),
      ...(status === undefined ? {} : { status }),
      ...(data === undefined ? {} : { data: json(data) as Record<string, unknown> }),
    })
  }

  private line(told: Told): void {
    this.lines.push({
      kind: told.kind ?? 'log',
      tier: told.tier ?? '',
      code: told.code ?? '',
      message: told.message,
      level: told.level ?? 'normal',
      data: told.data ?? {},
      brief: told.brief?.key ?? null,
    })
  }

  // What a playbook sees

  private view(event: PlaybookEvent): View {
    const key =
      'brief' in event
        ? event.brief.part
        : 'gate' in event
          ? partOf(event.gate.boundary)
          : 'part' in event
            ? event.part
            : null
    const view: View = {
      run: this.run,
      liveAttempts: this.live().length,
      parts: this.chain(key),
      tally: key === null ? {} : this.tally(key),
      found: nothingFound,
    }
    return { ...view, found: this.look(tiered.needs?.(view, event) ?? {}) }
  }

  private chain(first: string | null): Part[] {
    const chain: Part[] = []
    for (let key = first; key !== null;) {
      const part = this.parts.get(key)
      if (part === undefined) break
      chain.push(part)
      key = part.parent
    }
    return chain
  }

  private tally(key: string): Tally {
    const tally: Record<string, Partial<Record<BriefStatus, number>>> = {}
    for (const { part, phase, status } of this.briefs.values()) {
      if (part !== key) continue
      const counts = (tally[phase ?? ''] ??= {})
      counts[status] = (counts[status] ?? 0) + 1
    }
    return tally
  }

  private look(needs: Needs): Found {
    const each = <T>(keys: readonly string[] | undefined, get: (key: string) => T): Record<string, T> =>
      Object.fromEntries((keys ?? []).map((key) => [key, get(key)]))
    const there = <T>(keys: readonly string[] | undefined, get: (key: string) => T | undefined): Record<string, T> =>
      Object.fromEntries(
        (keys ?? []).flatMap((key) => {
          const found = get(key)
          return found === undefined ? [] : [[key, found]]
        }),
      )
    const all = [...this.briefs.values()]
    const below = (key: string): Part[] => [...this.parts.values()].filter(({ parent }) => parent === key)
    const streams =
      needs.workstreams === 'all' ? [...new Set(all.flatMap(({ workstream }) => workstream ?? []))] : needs.workstreams
    return {
      documents: there(needs.documents, (name) => this.document(name)),
      parts: there(needs.parts, (key) => this.parts.get(key)),
      partsBelow: each(needs.partsBelow, below),
      countBelow: each(needs.countBelow, (key) => {
        const counts: Partial<Record<Part['status'], number>> = {}
        for (const { status } of below(key)) counts[status] = (counts[status] ?? 0) + 1
        return counts
      }),
      members: each(needs.members, (key) => all.filter(({ part }) => part === key)),
      verdicts: Object.fromEntries(
        all.flatMap((brief) => {
          const verdict = this.verdicts.get(brief.id)
          return verdict !== undefined && needs.verdicts?.includes(brief.part ?? '') === true
            ? [[brief.id, verdict]]
            : []
        }),
      ),
      workstreams: each(streams, (id) => all.filter(({ workstream }) => workstream === id)),
      briefs: there(needs.briefs, this.find),
      briefIds: there(needs.briefIds, (id) => this.briefs.get(id)),
      failed: needs.failed === true ? all.filter(({ status, kind }) => status === 'failed' && kind !== 'verify') : [],
      amendments: needs.amendments === true ? this.amendments : [],
      history: needs.history === true ? this.history : [],
      unknownPersonalities: (needs.personalities ?? []).filter((name) => this.unknownPersonalities.includes(name)),
    }
  }
}

/** As a store would keep it: no references shared, nothing undefined. */
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const partOf = (boundary: string): string | null =>
  boundary.startsWith('part:') ? boundary.slice('part:'.length) : null
