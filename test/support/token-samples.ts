/** Assembled here, so that no secret scanner takes this file for a leak. */
const of = (...parts: string[]): string => parts.join('')

const letters = 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7bC9dE2fG4hJ6'
const hex = '0a1b2c3d4e5f60718293a4b5c6d7e8f9'

/** Invented tokens in the formats of providers, and Agency's own. */
export const tokenSamples: readonly (readonly [name: string, token: string])[] = [
  ['an attempt of Agency', of('agt', '_att_01hzy3v9k2m4n5p6.3.', letters.slice(0, 32))],
  ['the operator of Agency', of('opr', '_', letters.slice(0, 32))],
  ['a session of Agency', of('ses', '_1900000000000.', letters.slice(0, 32))],
  ['a link of Agency', of('lnk', '_', letters.slice(0, 32))],
  ['OpenAI', of('sk', '-proj-', letters)],
  ['Anthropic', of('sk', '-ant-api03-', letters)],
  ['GitHub', of('ghp', '_', letters.slice(0, 36))],
  ['GitHub, fine-grained', of('github', '_pat_', letters.slice(0, 22), '_', letters)],
  ['GitLab', of('glpat', '-', letters.slice(0, 20))],
  ['Slack', of('xoxb', '-123456789012-123456789012-', letters.slice(0, 24))],
  ['a browser session of Slack', of('xoxd', '-', letters)],
  ['a webhook of Slack', of('hooks.slack', '.com/services/T0123456/B0123456/', letters.slice(0, 24))],
  ['Google', of('AIza', letters.slice(0, 35))],
  ['an access token of Google', of('ya29', '.', letters)],
  ['Amazon', of('AKIA', 'Q7B3Z5N2K4M6P1T8')],
  ['Azure storage', of('Account', 'Key=', letters, letters.slice(0, 38), '==')],
  ['an application of Azure', of('abc', '8Q~', letters.slice(0, 34))],
  ['npm', of('npm', '_', letters.slice(0, 36))],
  ['PyPI', of('pypi', '-', letters, letters)],
  ['Stripe', of('sk', '_live_', letters.slice(0, 24))],
  ['SendGrid', of('SG', '.', letters.slice(0, 22), '.', letters.slice(0, 43))],
  ['Twilio', of('SK', hex)],
  ['Hugging Face', of('hf', '_', letters.slice(0, 34))],
  ['Netlify', of('nfp', '_', letters.slice(0, 36))],
  ['Supabase', of('sbp', '_', hex, hex.slice(0, 8))],
  ['Terraform Cloud', of(letters.slice(0, 14), '.atlas', 'v1.', letters, letters.slice(0, 19))],
  ['HubSpot', of('pat', '-na1-0a1b2c3d-4e5f-4071-8293-a4b5c6d7e8f9')],
  ['Airtable', of('pat', letters.slice(0, 14), '.', hex, hex)],
  ['a JSON Web Token', of('eyJ', 'hbGciOiJIUzI1NiJ9.', 'eyJ', 'zdWIiOiIxMjM0In0.', letters)],
]
