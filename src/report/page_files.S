/* The files that a page is made of, as they are in web/; and the plotting library, if it was
 * installed when this was built: then LIBRARY and LICENCE are its paths. */
    .section .rodata

.macro part name, paths:vararg
    .globl page_\name, page_\name\()_bytes
page_\name\():
    .ifnb \paths
    .irp path, \paths
    .incbin "\path"
    .endr
    .endif
page_\name\()_end:
    .balign 8
page_\name\()_bytes:
    .quad page_\name\()_end - page_\name
.endm

    part html, "web/page.html"
    part style, "web/page.css"
    part script, "web/parts.js", "web/charts.js", "web/listing.js", \
        "web/conclusions.js", "web/study_code.js", "web/study.js", "web/runs.js", "web/story.js", "web/cycles.js", \
        "web/together.js", "web/earlier.js", "web/loads.js", "web/ledger.js", "web/slices.js", "web/study_places.js", \
        "web/study_cycles.js", "web/study_slices.js", "web/page.js"
#ifdef LIBRARY
    part library, LIBRARY
    part licence, LICENCE
#else
    part library
    part licence
#endif

    .section .note.GNU-stack, "", @progbits
