# Calendar functions. Source this file.

# is_leap YEAR: prints yes or no.
is_leap() {
    if [ $(($1 % 4)) -eq 0 ]; then
        echo yes
    else
        echo no
    fi
}

# days_in_month YEAR MONTH: prints 28 to 31.
days_in_month() {
    case $2 in
        2) if [ "$(is_leap "$1")" = yes ]; then echo 29; else echo 28; fi ;;
        4 | 6 | 9 | 11) echo 30 ;;
        *) echo 31 ;;
    esac
}
