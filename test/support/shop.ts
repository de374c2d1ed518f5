/** A document with a small organisation and one example of everything that a document may contain. */
export const shop = `organisation:
  organisation_id: 5
  name: Shop
  purpose: trade
  description: |-
    Sells things: "good" ones,
    and cheap.
  status: active
  lead: Boss
  settings:
    governance: advise
    plans: always
  intent:
    optimise_for:
      - Happy customers
    protect: []
    never_sacrifice:
      - Honesty
    constraints: []
roles:
  - role_id: 20
    name: boss
    description: Decides
  - role_id: 21
    name: clerk
    description: Sells
positions:
  - position_id: 10
    title: Boss
    role: boss
    level: 1
    reports_to: null
    escalates_to: null
    is_cross_cutting: false
    assignment:
      persona_assignment_id: 7
      persona_id: 30
      persona_slug: boss-ada-30
      persona_name: Ada
      persona_role: boss
      persona_status: active
      assigned_at: 2026-02-15T10:00:00.000Z
    authority:
      - kind: spend_per_day
        limit: 100.5
        unit: EUR
        on_breach: gate
  - position_id: 11
    title: Till
    role: clerk
    level: 2
    reports_to: Boss
    escalates_to: Boss
    is_cross_cutting: false
    assignment: null
  - position_id: 12
    title: Auditor
    role: clerk
    level: 1
    reports_to: null
    escalates_to: Boss
    is_cross_cutting: true
    assignment: null
`
