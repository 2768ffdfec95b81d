/** The models by the names that the product shows. */
export const labModels = [
  { id: 'gpt-4o-mini', name: 'ChatGPT' },
  { id: 'claude', name: 'Claude' },
  { id: 'gemini-1.5-flash', name: 'Gemini' },
  { id: 'perplexity', name: 'Perplexity' },
] as const

const names: Record<string, string> = {
  ...Object.fromEntries(labModels.map(({ id, name }) => [id, name])),
  'gpt-5-mini-2025-08-07': 'GPT-5 mini',
  'gpt-5-2025-08-07': 'GPT-5',
  'gpt-5.4-mini': 'GPT-5.4 mini',
  'gpt-5.4': 'GPT-5.4',
  'gemini-3.6-flash': 'Gemini 3.6 Flash',
  // The names that their providers use.
  'claude-sonnet-5': 'Claude',
  sonar: 'Perplexity',
}
export const modelName = (id: string) => names[id] ?? id

/** A demo's answer that no model wrote now. */
export const RECORDED = 'recorded'
/** By the name people know; where another model stood in, by both. */
export function writerName(asked: string, answered: string): string {
  if (answered === RECORDED) return 'Recorded answer'
  const names = [modelName(asked), modelName(answered)]
  return names[0] === names[1] ? names[0]! : `${names[0]}, answered by ${names[1]}`
}

export const CHAT_MODEL = 'gpt-5-mini-2025-08-07'
export const ANALYST_MODEL = CHAT_MODEL
export const WRITING_MODEL = 'gpt-4o-mini'
