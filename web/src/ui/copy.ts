import { useState } from 'react'
import { toast } from './toast.tsx'

/** Whether it is on the clipboard now. A browser may refuse, and a page that came without TLS has none. */
export async function copyText(text: string, said?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    toast.error('Not copied', 'The browser did not allow it. Select the text and copy it by hand.')
    return false
  }
  if (said) toast.success(said)
  return true
}

/** For a button that says for two seconds that it has copied. */
export function useCopied() {
  const [copied, setCopied] = useState(false)
  async function copy(text: string, said?: string) {
    if (!(await copyText(text, said))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return { copied, copy }
}
