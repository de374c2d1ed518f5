/**
 * Reports whether a command looks as if it cannot be undone: it removes, publishes or uploads something. A courtesy,
 * not a boundary (`python -c` deletes as well as `rm` does): the boundary is the box.
 */
export const isIrreversible = (command: string): boolean =>
  command
    .split(/[;&|\n(){}`]+|\$\(/)
    .map((part) => part.trim().replace(/^(?:\w+=\S*\s+|(?:command|env|exec|nohup|time|then|do|else|!)\s+)+/, ''))
    .some((part) => removes.test(part) || publishes.test(part) || runsIndirectly.test(part))

const removes =
  /^(?:\S*\/)?(?:rm|rmdir|unlink|shred|truncate|dd|mkfs\S*)\b|^find\b.*\s-(?:delete|exec|execdir|ok)\b|^xargs\b|^git\s+(?:.*\s)?(?:clean|filter-branch|push|remote)\b|^git\s+(?:.*\s)?(?:reset\s+.*--hard|branch\s+.*-D)\b/
const publishes =
  /^(?:npm|pnpm|yarn|cargo|gem|twine|docker|poetry)\b.*\s(?:publish|unpublish|push|upload)\b|^(?:gh|glab|scp|sftp|ssh|rsync|ftp|nc|ncat|telnet)\b|^curl\b.*\s(?:-X|-d|-F|-T|--(?:request|data\S*|form|json|upload-file))|^wget\b.*\s--(?:post|method|body)/
const runsIndirectly = /^(?:sudo|su|doas|eval)\b|^(?:ba|z|da)?sh\s+-\w*c\b/
