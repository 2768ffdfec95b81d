/** One model's answer in a comparison, as it is drawn. */
export type LaneState = {
  model: string
  state: 'idle' | 'waiting' | 'writing' | 'complete' | 'stopped' | 'cut' | 'failed'
  content: string
  answeredBy: string | null
  sandbox: boolean
  firstMs: number | null
  ms: number | null
  usage: { prompt_tokens: number; completion_tokens: number; cost_microusd: number } | null
}
export const running = ({ state }: LaneState) => state === 'waiting' || state === 'writing'
