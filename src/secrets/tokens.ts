import { lettersAndDigits, replaceRuns, runPattern } from './long-runs.ts'

/**
 * Tokens with a format of their own: Agency's, and those of common providers. A commit is scanned and a text is redacted
 * by the same list.
 */
const formats: readonly string[] = [
  // Agency: of an attempt, a session, the operator, a link for the browser.
  String.raw`agt_[A-Za-z0-9_]{1,64}\.\d{1,15}\.[A-Za-z0-9_-]{8,}`,
  String.raw`(?:ses|opr|lnk)_(?=[A-Za-z]{0,32}[\d.]|[A-Za-z]{24})[A-Za-z0-9.]{16,}`,
  // OpenAI, Anthropic, OpenRouter, DeepSeek
  String.raw`sk-(?=[A-Za-z_-]{0,40}\d|[A-Za-z0-9-]{0,40}[A-Za-z]{20})(?:[a-z0-9]{1,12}-){0,3}[A-Za-z0-9_]{8}[A-Za-z0-9_-]{12,}`,
  // Groq, xAI, Perplexity, NVIDIA, Replicate, Hugging Face
  'gsk_[A-Za-z0-9]{40,}',
  'xai-[A-Za-z0-9]{40,}',
  'pplx-[A-Za-z0-9]{40,}',
  'nvapi-[A-Za-z0-9_-]{40,}',
  'r8_[A-Za-z0-9]{37,}',
  '(?:hf|api_org)_[A-Za-z0-9]{30,}',
  // GitHub, GitLab, Bitbucket and Atlassian
  'gh[pousr]_[A-Za-z0-9]{20,}',
  'github_pat_[A-Za-z0-9_]{22,}',
  'gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[A-Za-z0-9_.-]{20,}',
  'AT(?:ATT3|BB|CTT3)[A-Za-z0-9_=-]{28,}',
  // Slack, Discord, Telegram
  'xox[a-eoprs]-[A-Za-z0-9%-]{10,}',
  String.raw`xapp-\d-[A-Za-z0-9-]{10,}`,
  String.raw`hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}`,
  String.raw`discord(?:app)?\.com/api/webhooks/\d{1,30}/[A-Za-z0-9_-]{30,}`,
  String.raw`\d{8,10}:AA[A-Za-z0-9_-]{32,34}`,
  // Google
  'AIza[A-Za-z0-9_-]{35}',
  String.raw`ya29\.[A-Za-z0-9_-]{20,}`,
  'GOCSPX-[A-Za-z0-9_-]{20,}',
  '1//0[A-Za-z0-9_-]{40,}',
  // Amazon Web Services
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  // Azure: keys of storage and buses, shared access signatures, secrets of applications
  '(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{40,90}={0,2}',
  'sig=[A-Za-z0-9%+/]{40,}={0,2}',
  '[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}',
  // npm, PyPI, RubyGems, Docker
  'npm_[A-Za-z0-9]{36}',
  'pypi-[A-Za-z0-9_-]{50,}',
  'rubygems_[a-f0-9]{48}',
  'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}',
  // Stripe, Shopify, SendGrid, Twilio, Mailgun, Square
  '(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{16,}',
  'whsec_[A-Za-z0-9+/=]{24,}',
  'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}',
  String.raw`SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}`,
  'SK[0-9a-f]{32}(?![A-Za-z0-9])',
  'key-[0-9a-f]{32}(?![A-Za-z0-9])',
  'sq0[a-z]{3}-[A-Za-z0-9_-]{22,}',
  // DigitalOcean, Databricks, Linear, Notion, Vault, Doppler, Grafana, Sentry, Postman, New Relic, age
  'do[opr]_v1_[a-f0-9]{64}',
  'dapi[a-f0-9]{32}',
  'lin_(?:api|oauth)_[A-Za-z0-9]{32,}',
  'ntn_[A-Za-z0-9]{40,}',
  String.raw`hv[sbr]\.[A-Za-z0-9_-]{24,}`,
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}`,
  'gl(?:c|sa)_[A-Za-z0-9+/=_]{32,}',
  'sntrys_[A-Za-z0-9+/=_]{40,}',
  'PMAK-[A-Za-z0-9-]{50,}',
  'NRAK-[A-Z0-9]{27}',
  'AGE-SECRET-KEY-1[0-9A-Z]{50,}',
  // Netlify, Fly, Supabase, PlanetScale, Heroku, HashiCorp Cloud, Pulumi, Dynatrace
  'nfp_[A-Za-z0-9]{36,}',
  'fm[12][ar]?_[A-Za-z0-9+/=_-]{60,}',
  'sb[ps]_[a-f0-9]{40}',
  'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}',
  'HRKU-[A-Za-z0-9_-]{36,}',
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}`,
  'pul-[a-f0-9]{40}',
  String.raw`dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{60,}`,
  // Figma, Airtable, HubSpot, Brevo, Mapbox, 1Password, Buildkite, CircleCI, Sourcegraph, Tavily, LangSmith
  'figd_[A-Za-z0-9_-]{40,}',
  String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`,
  String.raw`pat-(?:na|eu)\d-[a-f0-9]{8}-[a-f0-9-]{27}`,
  'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}',
  String.raw`sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}`,
  'ops_eyJ[A-Za-z0-9_=-]{100,}',
  'bkua_[a-f0-9]{40}',
  'CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}',
  'sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}',
  'tvly-(?:dev-|prod-)?[A-Za-z0-9_-]{32,}',
  'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}',
  // JSON Web Tokens
  String.raw`(?<![_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
]

/**
 * Matches at the beginning of a run of letters and digits alone, so that a long run is read once and not from each of its
 * characters. The digits of an encoded character (`%3D`) are not letters before it.
 */
const token = new RegExp(`(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}))(?:${formats.join('|')})`, 'g')

/** No token is shorter or has other characters: only such runs are compared. */
const runs = runPattern(`${lettersAndDigits}_.~%+/=:@?&-`, 20)

export interface TokenRange {
  readonly start: number
  readonly end: number
}

/** Returns the positions of all tokens of a known format. */
export function findTokens(text: string): TokenRange[] {
  const found: TokenRange[] = []
  replaceRuns(text, runs, (run, start) => {
    const skipped = escapeBefore(text, start, run)
    for (const { 0: match, index } of run.slice(skipped).matchAll(token))
      found.push({ start: start + skipped + index, end: start + skipped + index + match.length })
    return run
  })
  return found
}

export const withoutTokens = (text: string): string =>
  replaceRuns(text, runs, (run, start) => {
    const skipped = escapeBefore(text, start, run)
    return skipped === 0
      ? run.replace(token, '[redacted]')
      : run.slice(0, skipped) + run.slice(skipped).replace(token, '[redacted]')
  })

/**
 * Returns how many letters of a run belong to an escape before it: the `n` of `\n` in JSON, or the `31m` of a colour. They
 * would look like the beginning of a longer word.
 */
function escapeBefore(text: string, start: number, run: string): number {
  const pattern =
    text[start - 1] === '\\'
      ? letterOfEscape
      : opensColour.test(text.slice(Math.max(0, start - 40), start))
        ? colour
        : null
  return pattern?.exec(run)?.[0].length ?? 0
}

const letterOfEscape = /^(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[0-7]{3}|[abefnrtv0])/
// oxlint-disable-next-line no-control-regex -- Colours begin with a control character.
const opensColour = /\x1B\[[\d;?]*$/
const colour = /^\d*[A-Za-z]/
