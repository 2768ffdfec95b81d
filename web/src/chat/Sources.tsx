/** Where an answer says it is from. Each shows its host, since words can say anything. */
export function Sources({ links }: { links: readonly string[] }) {
  const webLinks = links.flatMap((link) => (URL.canParse(link) && /^https?:/.test(link) ? [new URL(link)] : []))
  if (!webLinks.length) return null
  return (
    <section aria-label="Sources" className="overflow-hidden rounded-control text-13 hairline">
      <p className="border-b border-line bg-raised px-3 py-1 text-12 font-medium text-muted">Sources</p>
      <ol className="divide-y divide-line">
        {webLinks.map((url, index) => (
          <li key={url.href}>
            <a
              href={url.href}
              target="_blank"
              rel="noopener noreferrer nofollow"
              title={url.href}
              className="flex min-h-8 min-w-0 items-center gap-2.5 px-3 py-1 outline-offset-[-2px] hover:bg-raised max-md:min-h-11"
            >
              <span className="font-mono text-12 text-faint tabular">{index + 1}</span>
              <span className="min-w-0 truncate">
                {url.host}
                <span className="text-faint">{url.pathname === '/' ? '' : url.pathname}</span>
              </span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  )
}
