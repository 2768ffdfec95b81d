import { BookMarked } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../ui/Button.tsx'
import { PromptLibrary } from './PromptLibrary.tsx'

/** Opens the prompt library beside a field that is not a composer. */
export function PromptButton({ draft, onUse }: { draft: string; onUse: (body: string) => void }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <IconButton label="Prompt library" onClick={() => setOpen(true)}>
        <BookMarked />
      </IconButton>
      {open ? (
        <PromptLibrary
          draft={draft}
          onClose={() => setOpen(false)}
          onUse={(body) => {
            onUse(body)
            setOpen(false)
          }}
        />
      ) : null}
    </>
  )
}
