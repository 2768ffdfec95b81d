import { useState } from 'react'

export type LookUp<Input, Found> = {
  busy: boolean
  asked?: Input
  found?: Found
  error?: unknown
  ask: (input: Input) => Promise<void>
}

/** The last look-up of a form and its result. It is kept above the tabs, so that a look at another one loses nothing and is not logged twice. */
export function useLookUp<Input, Found>(run: (input: Input) => Promise<Found>): LookUp<Input, Found> {
  const [state, setState] = useState<Omit<LookUp<Input, Found>, 'ask'>>({ busy: false })
  async function ask(asked: Input) {
    setState(({ found }) => ({ busy: true, asked, found }))
    try {
      const found = await run(asked)
      setState({ busy: false, asked, found })
    } catch (error) {
      setState({ busy: false, asked, error })
    }
  }
  return { ...state, ask }
}
